/**
 * Percentage that `paid` tokens save against `full` ones: 100 × (1 − paid ÷ full), rounded to two decimals, halves away from zero.
 *
 * Counted in whole hundredths, so that no rounding error of a division shows. 0 where `full` is 0, and never −0.
 *
 * @example
 * computeSavingsPercent(935, 1000) // 6.5
 */
export function computeSavingsPercent(paid: number, full: number): number {
  if (full === 0) return 0
  const saved = full - paid
  const doubled = 20_000 * Math.abs(saved) + full
  const hundredths = (doubled - (doubled % (2 * full))) / (2 * full)
  if (hundredths === 0) return 0
  return (saved < 0 ? -hundredths : hundredths) / 100
}
