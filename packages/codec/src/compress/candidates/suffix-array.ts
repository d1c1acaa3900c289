import { freeArrays } from '../text/typed-arrays.ts'

/**
 * Builds the suffix array of an integer string by induced sorting, in O(n) time.
 *
 * Values must be in `[0, alphabet)`. A suffix that is a prefix of another comes first. Algorithm:
 * G. Nong, S. Zhang, W. H. Chan, "Linear Suffix Array Construction by Almost Pure Induced-Sorting"
 * (2009).
 */
export function buildSuffixArray(values: Int32Array, alphabet: number): Int32Array {
  const suffixes = new Int32Array(values.length)
  if (values.length > 0) induceSuffixes(values, alphabet, suffixes)
  return suffixes
}

/**
 * Builds the LCP array: the longest common prefix of each suffix with the previous one in the
 * suffix array; `lcp[0]` is 0.
 *
 * Algorithm: J. Kärkkäinen, G. Manzini, S. J. Puglisi, "Permuted Longest-Common-Prefix Array"
 * (2009), which computes T. Kasai's values (see below) in text order.
 */
export function buildLcpArray(values: Int32Array, suffixes: Int32Array): Int32Array {
  const n = values.length
  const previous = new Int32Array(n)
  for (let r = 0; r < n; r++) previous[suffixes[r]!] = r === 0 ? -1 : suffixes[r - 1]!
  const permuted = previous
  let length = 0
  for (let i = 0; i < n; i++) {
    const j = previous[i]!
    if (j < 0) length = 0
    else while (i + length < n && j + length < n && values[i + length] === values[j + length]) length++
    permuted[i] = length
    if (length > 0) length--
  }
  const lcp = new Int32Array(n)
  for (let r = 0; r < n; r++) lcp[r] = permuted[suffixes[r]!]!
  freeArrays(permuted)
  return lcp
}

function induceSuffixes(values: Int32Array, alphabet: number, suffixes: Int32Array): void {
  const n = values.length
  const isS = new Uint8Array(n)
  for (let i = n - 2; i >= 0; i--) {
    isS[i] = values[i]! < values[i + 1]! || (values[i] === values[i + 1] && isS[i + 1] === 1) ? 1 : 0
  }
  const counts = new Int32Array(alphabet)
  for (let i = 0; i < n; i++) counts[values[i]!]!++
  const buckets = new Int32Array(alphabet)

  suffixes.fill(-1)
  setBucketEnds(counts, buckets)
  for (let i = n - 1; i > 0; i--) if (isS[i] && !isS[i - 1]) suffixes[--buckets[values[i]!]!] = i
  induceFromSeeds(values, counts, buckets, isS, suffixes)

  let seeds = 0
  for (let r = 0; r < n; r++) {
    const i = suffixes[r]!
    if (i > 0 && isS[i] && !isS[i - 1]) suffixes[seeds++] = i
  }
  const names = suffixes.subarray(seeds)
  names.fill(-1)
  let name = -1
  let last = -1
  for (let r = 0; r < seeds; r++) {
    const i = suffixes[r]!
    if (last < 0 || !isSameSeed(values, isS, last, i)) name++
    last = i
    names[i >> 1] = name
  }
  const reduced = new Int32Array(seeds)
  const positions = new Int32Array(seeds)
  for (let i = 1, k = 0; i < n; i++) {
    if (!isS[i] || isS[i - 1]) continue
    reduced[k] = names[i >> 1]!
    positions[k++] = i
  }
  const order = suffixes.subarray(0, seeds)
  if (name + 1 < seeds) induceSuffixes(reduced, name + 1, order)
  else for (let k = 0; k < seeds; k++) order[reduced[k]!] = k
  for (let r = 0; r < seeds; r++) order[r] = positions[order[r]!]!
  freeArrays(reduced, positions)

  suffixes.fill(-1, seeds)
  setBucketEnds(counts, buckets)
  for (let r = seeds - 1; r >= 0; r--) {
    const i = suffixes[r]!
    suffixes[r] = -1
    suffixes[--buckets[values[i]!]!] = i
  }
  induceFromSeeds(values, counts, buckets, isS, suffixes)
  freeArrays(isS, counts, buckets)
}

function induceFromSeeds(
  values: Int32Array,
  counts: Int32Array,
  buckets: Int32Array,
  isS: Uint8Array,
  suffixes: Int32Array,
): void {
  const n = values.length
  setBucketStarts(counts, buckets)
  suffixes[buckets[values[n - 1]!]!++] = n - 1
  for (let r = 0; r < n; r++) {
    const i = suffixes[r]! - 1
    if (i >= 0 && !isS[i]) suffixes[buckets[values[i]!]!++] = i
  }
  setBucketEnds(counts, buckets)
  for (let r = n - 1; r >= 0; r--) {
    const i = suffixes[r]! - 1
    if (i >= 0 && isS[i]) suffixes[--buckets[values[i]!]!] = i
  }
}

function isSameSeed(values: Int32Array, isS: Uint8Array, a: number, b: number): boolean {
  const n = values.length
  for (let k = 0; ; k++) {
    if (a + k >= n || b + k >= n) return false
    if (values[a + k] !== values[b + k] || isS[a + k] !== isS[b + k]) return false
    if (k > 0 && isS[a + k] && !isS[a + k - 1]) return true
  }
}

function setBucketStarts(counts: Int32Array, buckets: Int32Array): void {
  for (let c = 0, sum = 0; c < counts.length; c++) {
    buckets[c] = sum
    sum += counts[c]!
  }
}

function setBucketEnds(counts: Int32Array, buckets: Int32Array): void {
  for (let c = 0, sum = 0; c < counts.length; c++) {
    sum += counts[c]!
    buckets[c] = sum
  }
}

/**
 * Enumerates the LCP intervals, the classes of repeated substrings: those of `shorter + 1` to
 * `longest` values that start exactly at the suffixes of ranks `first` to `last`, all inclusive.
 *
 * Algorithm: the bottom-up traversal of T. Kasai et al., "Linear-Time Longest-Common-Prefix
 * Computation in Suffix Arrays and Its Applications" (2001).
 */
export class LcpIntervalWalk {
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

  free(): void {
    freeArrays(this.heights, this.lefts)
  }

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
