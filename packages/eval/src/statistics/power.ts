import { normalQuantile } from './quantiles.ts'
import { isAboveMargin, restrictedVariance, Z95 } from './score-interval.ts'

const Z80: number = normalQuantile(0.8)
/** Numbers of discordant pairs that are less likely are omitted; their sum does not show. */
const LEAST_CHANCE = 1e-12

/**
 * Returns how likely `as good` is for a scheme that loses nothing: the exact probability that the
 * score interval lies above the margin, if questions are independent and about fewer than 20
 * documents (with more it is lower by some points). The number of discordant pairs is binomial, and
 * each is in favor of either side with probability 1/2.
 *
 * @param questions whole
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
 *
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
 *
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
