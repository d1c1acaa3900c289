/** Interpolations before the range is halved instead. */
const MAX_GUESSES = 3

/**
 * Finds how many packs of a set fit into a budget, taken in order, with few compositions: it looks at twice the packs
 * whose sources would fit, then between the largest number that fits and the smallest that does not.
 *
 * @param all number of packs
 * @param countSource returns the tokens of a source; called once for each, in order, and only as far as the search looks
 * @param compose returns the tokens of the prompt of the first packs
 * @returns 0 if not even the first fits
 */
export function countFittingPacks(
  all: number,
  countSource: (index: number) => number,
  budget: number,
  compose: (count: number) => number,
): number {
  const sums = [0]
  let fits = 0
  /** The largest number of packs whose sources together have at most `limit` tokens. Counts one more than fit, too. */
  const countWithin = (limit: number): number => {
    while (sums.length <= all && (sums.at(-1)! <= limit || sums.length <= fits + 1))
      sums.push(sums.at(-1)! + countSource(sums.length - 1))
    return sums.findLastIndex((sum) => sum <= limit)
  }
  let paid = 0
  let fails = all + 1
  let failed = Infinity
  const attempt = (count: number): void => {
    const tokens = compose(count)
    if (tokens <= budget) [fits, paid] = [count, tokens]
    else [fails, failed] = [count, tokens]
  }
  for (let limit = 2 * budget; fits < all && fails > all; limit *= 2) {
    attempt(Math.min(all, Math.max(fits + 1, countWithin(limit))))
  }
  for (let guesses = 0; fails - fits > 1; guesses++) {
    const share = (budget - paid) / (failed - paid)
    const limit = sums[fits]! + share * (sums[fails]! - sums[fits]!)
    const guess = guesses < MAX_GUESSES ? countWithin(limit) : Math.floor((fits + fails) / 2)
    attempt(Math.min(fails - 1, Math.max(fits + 1, guess)))
  }
  return fits
}
