import { freeArrays } from '../text/free-arrays.ts'

/**
 * Walks over every class of repeated substrings: those of `shorter + 1` up to `longest` values that begin at exactly the
 * suffixes of ranks `first` up to `last`, both included.
 *
 * Algorithm: T. Kasai et al., "Linear-Time Longest-Common-Prefix Computation in Suffix Arrays" (2001), bottom-up traversal.
 */
export class RepeatWalk {
  first = 0
  last = 0
  shorter = 0
  longest = 0
  private rank = 1
  private left = 0
  private top = 0
  private readonly lcp: Int32Array
  private readonly heights: Int32Array
  private readonly lefts: Int32Array

  constructor(lcp: Int32Array) {
    this.lcp = lcp
    this.heights = new Int32Array(lcp.length + 1)
    this.lefts = new Int32Array(lcp.length + 1)
  }

  /** Gives its work space back; it cannot move any more. */
  free(): void {
    freeArrays(this.heights, this.lefts)
  }

  /** Moves to the next class; false where there is none. */
  next(): boolean {
    const { lcp, heights, lefts } = this
    const n = lcp.length
    let { rank, left, top } = this
    for (; rank <= n; rank++, left = rank - 1) {
      const height = rank < n ? lcp[rank]! : 0
      if (heights[top]! > height) {
        this.longest = heights[top]!
        this.first = lefts[top]!
        this.last = rank - 1
        top--
        this.shorter = Math.max(height, heights[top]!)
        this.rank = rank
        this.left = this.first
        this.top = top
        return true
      }
      if (heights[top]! < height) {
        top++
        heights[top] = height
        lefts[top] = left
      }
    }
    this.rank = rank
    return false
  }
}
