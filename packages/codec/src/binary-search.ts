/** Returns the first index below `count` that passes a test, as all after it do, else `count`. */
export function findFirst(count: number, test: (index: number) => boolean): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >> 1
    if (test(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** Returns the first index of a range of ascending values whose value is above `limit`. */
export function findAbove(
  values: ArrayLike<number>,
  limit: number,
  low = 0,
  high: number = values.length,
): number {
  while (low < high) {
    const middle = (low + high) >> 1
    if (values[middle]! <= limit) low = middle + 1
    else high = middle
  }
  return low
}
