import type { Interval, PairedFigures } from '../types.ts'
import { tQuantile } from './quantiles.ts'
import { type PairCounts, scoreInterval, Z95 } from './score-interval.ts'

/** Fewest documents for an interval that takes them for a sample of documents. */
const MIN_DOCUMENTS = 20

/** Whether the answers to a question about a document are right. */
export interface Pair {
  readonly document: string
  readonly source: boolean
  readonly arm: boolean
}

/** The questions about a document, and the sum of their differences (arm less source). */
export interface Cluster {
  readonly questions: number
  readonly sum: number
}

/**
 * Compares the answers of an arm with those from the source. The interval is the score interval,
 * which is about these documents: it takes answers about one document to be as independent as
 * answers about two. From 20 documents on they are also taken for a sample of documents, and the
 * wider interval of both counts.
 *
 * For that, the score interval is computed of fewer pairs, as many as would be worth the same if
 * they were independent: Rao & Scott (1992), A simple method for the analysis of clustered binary
 * data, Biometrics 48:577-585, with the t distribution instead of the normal one as in Korn &
 * Graubard (1998), Survey Methodology 24:193-201. Where few pairs are discordant it keeps its level
 * better than the t interval around the difference, which is symmetric.
 *
 * @param pairs one for each question; without any, the difference is 0 and the interval -1 to 1
 */
export function comparePairs(pairs: readonly Pair[]): PairedFigures {
  return assessPairs(pairs).figures
}

/**
 * Compares pairs as `comparePairs` does, and says how many of them are worth an independent one
 * (at least 1).
 */
export function assessPairs(pairs: readonly Pair[]): { figures: PairedFigures; worth: number } {
  const count = (isSource: boolean, isArm: boolean): number =>
    pairs.filter(({ source, arm }) => source === isSource && arm === isArm).length
  const [both, neither] = [count(true, true), count(false, false)]
  const [onlyArm, onlySource] = [count(false, true), count(true, false)]
  const counts = { both, onlyArm, onlySource, neither }
  const clusters = [...Map.groupBy(pairs, ({ document }) => document).values()].map((own) => ({
    questions: own.length,
    sum: own.reduce((sum, { source, arm }) => sum + Number(arm) - Number(source), 0),
  }))
  const worth = clusters.length < MIN_DOCUMENTS ? 1 : countWorth(counts, clusters)
  const figures: PairedFigures = {
    questions: pairs.length,
    documents: clusters.length,
    both_right: both,
    only_arm: onlyArm,
    only_source: onlySource,
    both_wrong: neither,
    difference: (onlyArm - onlySource) / Math.max(1, pairs.length),
    interval: effectiveInterval(counts, worth),
    method: worth > 1 ? 'cluster' : 'score',
  }
  return { figures, worth }
}

/** Returns how many pairs are worth an independent one: the design effect, with t for z; or 1. */
function countWorth(
  { both, onlyArm, onlySource, neither }: PairCounts,
  clusters: readonly Cluster[],
): number {
  const questions = both + onlyArm + onlySource + neither
  const difference = (onlyArm - onlySource) / questions
  const independent = ((onlyArm + onlySource) / questions - difference ** 2) / (questions - 1)
  if (!(independent > 0)) return 1
  const reach = tQuantile(0.975, clusters.length - 1) * clusterError(clusters)
  return Math.max(1, (reach / Z95) ** 2 / independent)
}

/** Returns the score interval of pairs so many of which are worth one. */
function effectiveInterval({ both, onlyArm, onlySource, neither }: PairCounts, worth: number): Interval {
  const others = { onlyArm: onlyArm / worth, onlySource: onlySource / worth, neither: neither / worth }
  return scoreInterval({ both: both / worth, ...others })
}

/**
 * Returns the standard error of the mean difference in which documents are clusters, so that
 * whatever answers about one document have in common is in it: from the means without one document
 * each (jackknife). For documents with equal numbers of questions this is the usual cluster-robust
 * error with the factor G / (G - 1) of Liang & Zeger (1986), Biometrika 73:13-22; for others it is
 * larger, as MacKinnon, Nielsen & Webb (2023), J Econometrics 232:272-299, recommend where clusters
 * are of unlike sizes.
 *
 * @param clusters at least two, each with a question
 */
export function clusterError(clusters: readonly Cluster[]): number {
  const count = clusters.length
  const questions = clusters.reduce((total, cluster) => total + cluster.questions, 0)
  const sum = clusters.reduce((total, cluster) => total + cluster.sum, 0)
  const without = clusters.map((cluster) => (sum - cluster.sum) / (questions - cluster.questions))
  const mean = without.reduce((total, value) => total + value, 0) / count
  const squares = without.reduce((total, value) => total + (value - mean) ** 2, 0)
  return Math.sqrt((squares * (count - 1)) / count)
}
