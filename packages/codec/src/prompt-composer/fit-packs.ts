/** Interpolations before the range is halved instead. */
const MAX_GUESSES = 3

/**
 * Finds how many packs of a set fit into a budget, taken in order, with few compositions: it looks at twice the packs
 * whose sources would fit, then between the largest number that fits and the smallest that does not.
 *
 * @param sourceTokens tokens of each source
 * @param compose returns the tokens of the prompt of the first packs
 * @returns 0 if not even the first fits
 */
export function countFittingPacks(
  sourceTokens: readonly number[],
  budget: number,
  compose: (count: number) => number,
): number {
  const sums = [0]
  for (const tokens of sourceTokens) sums.push(sums.at(-1)! + tokens)
  const all = sourceTokens.length
  let fits = 0
  let paid = 0
  let fails = all + 1
  let failed = Infinity
  const attempt = (count: number): void => {
    const tokens = compose(count)
    if (tokens <= budget) [fits, paid] = [count, tokens]
    else [fails, failed] = [count, tokens]
  }
  for (let limit = 2 * budget; fits < all && fails > all; limit *= 2) {
    const within = sums.findLastIndex((sum) => sum <= limit)
    attempt(Math.min(all, Math.max(fits + 1, within)))
  }
  for (let guesses = 0; fails - fits > 1; guesses++) {
    const share = (budget - paid) / (failed - paid)
    const limit = sums[fits]! + share * (sums[fails]! - sums[fits]!)
    const guess =
      guesses < MAX_GUESSES ? sums.findLastIndex((sum) => sum <= limit) : Math.floor((fits + fails) / 2)
    attempt(Math.min(fails - 1, Math.max(fits + 1, guess)))
  }
  return fits
}
