import type { Interval, PairedFigures, EvalScheme, Grade, SchemeOutcome, Verdict } from '../types.ts'

/** Fewest documents for an interval that takes them for a sample of documents. */
const MIN_DOCUMENTS = 20

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
 * wider interval of both counts. For that, the score interval is computed of fewer pairs, as many
 * as would be worth the same if they were independent: Rao & Scott (1992), A simple method for the
 * analysis of clustered binary data, Biometrics 48:577-585, with the t distribution instead of the
 * normal one as in Korn & Graubard (1998), Survey Methodology 24:193-201. Where few pairs are
 * discordant it keeps its level better than the t interval around the difference, which is
 * symmetric.
 * @param pairs one for each question; without any, the difference is 0 and the interval -1 to 1
 */
export function comparePairs(pairs: readonly Pair[]): PairedFigures {
  return assessPairs(pairs).figures
}

/** As `comparePairs`, and says how many pairs are worth an independent one (at least 1). */
function assessPairs(pairs: readonly Pair[]): { figures: PairedFigures; worth: number } {
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

/**
 * Returns the quantile of Student's t distribution. The area is the finite sum for whole degrees of
 * freedom, Abramowitz & Stegun (1964), Handbook of Mathematical Functions, 26.7.3 and 26.7.4, in
 * the angle atan(t / √degrees), which is bisected.
 * @param probability at least 0.5, below 1
 * @param degrees whole, at least 1
 * @example tQuantile(0.975, 19) // 2.093…
 */
export function tQuantile(probability: number, degrees: number): number {
  let [low, high] = [0, Math.PI / 2]
  for (let turn = 0; turn < 60; turn++) {
    const middle = (low + high) / 2
    if (areaWithin(middle, degrees) < 2 * probability - 1) low = middle
    else high = middle
  }
  return Math.sqrt(degrees) * Math.tan(low)
}

/** Returns the probability of |T| < √degrees · tan(angle). */
function areaWithin(angle: number, degrees: number): number {
  const isOdd = degrees % 2 === 1
  const cosine = Math.cos(angle)
  let term = isOdd ? cosine : 1
  let sum = degrees === 1 ? 0 : term
  for (let at = isOdd ? 3 : 2; at <= degrees - 2; at += 2) {
    term *= ((at - 1) / at) * cosine * cosine
    sum += term
  }
  return isOdd ? (2 / Math.PI) * (angle + Math.sin(angle) * sum) : Math.sin(angle) * sum
}

/** Pairs of answers to one question each, by which of the two are right. */
export interface PairCounts {
  readonly both: number
  readonly onlyArm: number
  readonly onlySource: number
  readonly neither: number
}

/** Quantiles of the standard normal distribution at 0.975, for two-sided 95 %, and at 0.8. */
const Z95 = 1.9599639845400516
const Z80 = 0.8416212335729139

/**
 * Returns the two-sided score interval for the difference of two paired proportions, arm less
 * source: the differences that the score test does not reject. Tango (1998), Equivalence test and
 * confidence interval for the difference in proportions for the paired-sample design, Stat Med
 * 17:891-908; recommended by Fagerland, Lydersen & Laake (2014), Stat Med 33:2850-2875. It needs no
 * discordant pair, and stays within -1 and 1. It takes the pairs to be independent.
 * @returns shares; -1 to 1 without a pair
 * @example scoreInterval({ both: 68, onlyArm: 0, onlySource: 0, neither: 5 }) // [-0.04999, 0.04999]
 */
export function scoreInterval(pairs: PairCounts): Interval {
  const { onlyArm, onlySource } = pairs
  const questions = countPairs(pairs)
  if (questions === 0) return [-1, 1]
  return [findLow(onlyArm, onlySource, questions), -findLow(onlySource, onlyArm, questions)]
}

/** Loss in percentage points that still is as good. */
export const MARGIN = 5

/**
 * Says whether the score interval of 95 % lies above the margin below 0, without computing its
 * ends: Tango's test of non-inferiority, at 2.5 %.
 * @param margin a share, above 0
 */
export function isAboveMargin(pairs: PairCounts, margin: number): boolean {
  return computeScore(pairs.onlyArm, pairs.onlySource, countPairs(pairs), -margin) > Z95
}

function countPairs({ both, onlyArm, onlySource, neither }: PairCounts): number {
  return both + onlyArm + onlySource + neither
}

/** Bisects for the difference with score {@link Z95}. The score falls from -1 to the estimate. */
function findLow(onlyArm: number, onlySource: number, questions: number): number {
  let [low, high] = [-1, (onlyArm - onlySource) / questions]
  for (let turn = 0; turn < 60; turn++) {
    const middle = (low + high) / 2
    if (computeScore(onlyArm, onlySource, questions, middle) > Z95) low = middle
    else high = middle
  }
  return low
}

/** Returns by how many standard errors the difference seen is above a true one. */
function computeScore(onlyArm: number, onlySource: number, questions: number, difference: number): number {
  const above = onlyArm - onlySource - questions * difference
  const variance = questions * restrictedVariance(onlyArm, onlySource, questions, difference)
  return above / Math.sqrt(variance)
}

/**
 * Returns the variance of one pair, at the most likely shares of discordant pairs if the difference
 * is as given. The most likely share of `onlySource` is the larger root of Tango's equation
 * `2nq² + (2n·d - onlyArm - onlySource - (onlyArm - onlySource)·d)·q - onlySource·d·(1 - d) = 0`.
 */
function restrictedVariance(
  onlyArm: number,
  onlySource: number,
  questions: number,
  difference: number,
): number {
  const linear = (2 * questions - onlyArm + onlySource) * difference - onlyArm - onlySource
  const constant = -onlySource * difference * (1 - difference)
  const root = Math.sqrt(Math.max(0, linear * linear - 8 * questions * constant))
  const share = (root - linear) / (4 * questions)
  return Math.max(0, 2 * share + difference - difference * difference)
}

/** Numbers of discordant pairs that are less likely are omitted; their sum does not show. */
const LEAST_CHANCE = 1e-12

/**
 * Returns how likely `as good` is for a scheme that loses nothing: the exact probability that the
 * score interval lies above the margin, if questions are independent and about fewer than 20
 * documents (with more it is lower by some points). The number of discordant pairs is binomial, and
 * each is in favor of either side with probability 1/2.
 * @param discordantShare share of the questions that are answered right in one arm only
 * @param marginPoints in percentage points
 * @example power(240, 0.05, 5) // 0.868
 */
export function power(questions: number, discordantShare: number, marginPoints: number): number {
  const logFactorials = new Float64Array(questions + 1)
  for (let at = 2; at <= questions; at++) logFactorials[at] = logFactorials[at - 1]! + Math.log(at)
  const chance = (of: number, hits: number, share: number): number => {
    if (share === 0 || share === 1) return hits === share * of ? 1 : 0
    const ways = logFactorials[of]! - logFactorials[hits]! - logFactorials[of - hits]!
    return Math.exp(ways + hits * Math.log(share) + (of - hits) * Math.log(1 - share))
  }
  let total = 0
  // One discordant pair more needs no fewer in favor of the arm, so the number is searched from the last one on.
  let fewest = 0
  for (let discordant = 0; discordant <= questions; discordant++) {
    const weight = chance(questions, discordant, discordantShare)
    if (weight < LEAST_CHANCE) continue
    const isEnough = (onlyArm: number): boolean =>
      isAboveMargin(
        { both: questions - discordant, onlyArm, onlySource: discordant - onlyArm, neither: 0 },
        marginPoints / 100,
      )
    while (fewest <= discordant && !isEnough(fewest)) fewest += 1
    for (let hits = fewest; hits <= discordant; hits++) total += weight * chance(discordant, hits, 0.5)
  }
  return Math.min(1, total)
}

/**
 * Returns the fewest questions that can give `as good`: with them, no pair may be discordant.
 * @param marginPoints in percentage points
 * @returns infinite for a margin of 0
 * @example leastQuestions(5) // 73
 */
export function leastQuestions(marginPoints: number): number {
  const margin = marginPoints / 100
  return Math.max(1, Math.floor((Z95 * Z95 * (1 - margin)) / margin) + 1)
}

/**
 * Returns about how many questions give `as good` in 80 of 100 evaluations, if questions are
 * independent and pairs go on being discordant as often as seen: Nam (1997), Establishing
 * equivalence of two treatments and sample size requirements in matched-pairs design, Biometrics
 * 53:1422-1430.
 * @param onlyArm share of the questions that only the arm has right
 * @param onlySource share of those that only the source has right
 * @returns null if the difference is not above the margin, so that no number would do
 * @example questionsNeeded(0, 0, 5) // 73
 */
export function questionsNeeded(onlyArm: number, onlySource: number, marginPoints: number): number | null {
  const margin = marginPoints / 100
  const difference = onlyArm - onlySource
  if (difference <= -margin) return null
  const restricted = Math.sqrt(restrictedVariance(onlyArm, onlySource, 1, -margin))
  const seen = Math.sqrt(onlyArm + onlySource - difference * difference)
  const needed = ((Z95 * restricted + Z80 * seen) / (difference + margin)) ** 2
  return Math.max(leastQuestions(marginPoints), Math.ceil(needed))
}

export interface GradedPair {
  readonly document: string
  readonly source: Grade
  readonly arm: Grade
}

/** A scheme with the pairs that verdicts are about, or without any as it writes the source. */
export interface SchemePairs {
  readonly scheme: EvalScheme
  readonly pairs: readonly GradedPair[] | 'same prompt'
}

/**
 * Decides about schemes in the order given, the lightest first. Each is tested at the full level:
 * in a fixed order that ends at the first scheme that is not `as good`, any scheme is called so
 * wrongly no more often than one (Maurer, Hothorn & Lehmacher 1995, in Biometrie in der
 * chemisch-pharmazeutischen Industrie 6:3-18). Later schemes have figures, and are `not tested`.
 * Where grades are undecided, a verdict must hold with all of them right, and with all wrong.
 * @param margin in percentage points, above 0
 */
export function decideSchemes(schemes: readonly SchemePairs[], margin: number): SchemeOutcome[] {
  let isOpen = true
  return schemes.map(({ scheme, pairs }): SchemeOutcome => {
    if (pairs === 'same prompt')
      return { scheme, verdict: 'same prompt', figures: null, undecided_wrong: null, needed: null }
    const assess = (undecided: Grade): Assessment =>
      assessPairs(
        pairs.map(({ document, source, arm }) => ({
          document,
          source: (source === 'undecided' ? undecided : source) === 'right',
          arm: (arm === 'undecided' ? undecided : arm) === 'right',
        })),
      )
    const isDecided = pairs.every(({ source, arm }) => source !== 'undecided' && arm !== 'undecided')
    const all = isDecided ? [assess('right')] : [assess('right'), assess('wrong')]
    const verdict = isOpen ? judge(all, margin) : 'not tested'
    isOpen = verdict === 'as good'
    const needed = verdict === 'too few questions' ? estimateNeeded(all, margin) : null
    return { scheme, verdict, figures: all[0]!.figures, undecided_wrong: all[1]?.figures ?? null, needed }
  })
}

type Assessment = ReturnType<typeof assessPairs>

/** Returns the verdict that all figures give; above the margin and below 0 is `as good`. */
function judge(all: readonly Assessment[], margin: number): Verdict {
  if (all.every(({ figures }) => figures.interval[0] > -margin / 100)) return 'as good'
  return all.every(({ figures }) => figures.interval[1] < 0) ? 'worse' : 'too few questions'
}

/** Returns the most that one of the figures needs, or null if no number would do for one. */
function estimateNeeded(all: readonly Assessment[], margin: number): number | null {
  let most = 0
  for (const { figures, worth } of all) {
    const asked = Math.max(1, figures.questions)
    const needed = questionsNeeded(figures.only_arm / asked, figures.only_source / asked, margin)
    if (needed === null) return null
    // More where answers about one document have something in common, and about more documents then.
    most = Math.max(most, Math.ceil(needed * worth))
  }
  return most
}
