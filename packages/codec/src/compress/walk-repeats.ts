/**
 * Visits every class of repeated substrings: those of `shorter + 1` up to `longest` values that begin at exactly the
 * suffixes of ranks `from` up to `to`, both included.
 *
 * Algorithm: T. Kasai et al., "Linear-Time Longest-Common-Prefix Computation in Suffix Arrays" (2001), bottom-up traversal.
 */
export function walkRepeats(
  lcp: Int32Array,
  visit: (from: number, to: number, shorter: number, longest: number) => void,
): void {
  const n = lcp.length
  const heights = new Int32Array(n + 1)
  const lefts = new Int32Array(n + 1)
  let top = 0
  for (let rank = 1; rank <= n; rank++) {
    const height = rank < n ? lcp[rank]! : 0
    let left = rank - 1
    while (heights[top]! > height) {
      const longest = heights[top]!
      left = lefts[top]!
      top--
      visit(left, rank - 1, Math.max(height, heights[top]!), longest)
    }
    if (heights[top]! < height) {
      top++
      heights[top] = height
      lefts[top] = left
    }
  }
}
