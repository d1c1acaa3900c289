import type { Interval } from '../types.ts'
import { normalQuantile } from './quantiles.ts'

/** Pairs of answers to one question each, by which of the two are right. */
export interface PairCounts {
  readonly both: number
  readonly onlyArm: number
  readonly onlySource: number
  readonly neither: number
}

/** Of a two-sided interval of 95 %. */
export const Z95: number = normalQuantile(0.975)

/**
 * Returns the two-sided score interval for the difference of two paired proportions, arm less
 * source: the differences that the score test does not reject. Tango (1998), Equivalence test and
 * confidence interval for the difference in proportions for the paired-sample design, Stat Med
 * 17:891-908; recommended by Fagerland, Lydersen & Laake (2014), Stat Med 33:2850-2875. It needs no
 * discordant pair, and stays within -1 and 1. It takes the pairs to be independent.
 *
 * @param confidence between 0 and 1
 * @returns shares; -1 to 1 without a pair
 * @example scoreInterval({ both: 68, onlyArm: 0, onlySource: 0, neither: 5 }) // [-0.04999, 0.04999]
 */
export function scoreInterval(pairs: PairCounts, confidence = 0.95): Interval {
  const { onlyArm, onlySource } = pairs
  const questions = countPairs(pairs)
  if (questions === 0) return [-1, 1]
  const z = confidence === 0.95 ? Z95 : normalQuantile((1 + confidence) / 2)
  return [findLow(onlyArm, onlySource, questions, z), -findLow(onlySource, onlyArm, questions, z)]
}

/**
 * Says whether the score interval of 95 % lies above the margin below 0, without computing its
 * ends: Tango's test of non-inferiority, at 2.5 %.
 *
 * @param margin a share, above 0
 */
export function isAboveMargin(pairs: PairCounts, margin: number): boolean {
  return computeScore(pairs.onlyArm, pairs.onlySource, countPairs(pairs), -margin) > Z95
}

function countPairs({ both, onlyArm, onlySource, neither }: PairCounts): number {
  return both + onlyArm + onlySource + neither
}

/** Bisects for the difference with score z. The score falls from -1 to the estimate. */
function findLow(onlyArm: number, onlySource: number, questions: number, z: number): number {
  let [low, high] = [-1, (onlyArm - onlySource) / questions]
  for (let turn = 0; turn < 60; turn++) {
    const middle = (low + high) / 2
    if (computeScore(onlyArm, onlySource, questions, middle) > z) low = middle
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
export function restrictedVariance(
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
