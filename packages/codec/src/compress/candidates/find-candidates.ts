import type { BoundaryCosts } from '../cost/piece-counter.ts'
import { REJECTED, type DominanceRule, type FloorOf } from './candidate-rules.ts'
import { IntList } from '../text/int-list.ts'
import type { HeaderCosts } from '../cost/header-costs.ts'
import type { Units } from '../text/lex-units.ts'
import type { FoundCandidates } from './candidate-set.ts'

/** Longest candidate, in UTF-16 units: the longest expansion that a header may contain. */
const MAX_CANDIDATE_LENGTH = 4096

export interface CandidateCosts {
  readonly units: Units
  readonly boundaries: BoundaryCosts
  readonly headerCosts: HeaderCosts
  readonly floorOf: FloorOf
  /** Drops dominated candidates; all are kept if absent. */
  readonly dominance?: DominanceRule | undefined
}

/**
 * Finds the repeated phrases that `floorOf` accepts and that would pay alone.
 * @param tried How many ends of a long repeat to try; fewer if there are too many occurrences; none
 *   if there are only phrases of the author.
 */
export function findCandidates(
  tried: 'all' | 'most' | 'few' | 'none',
  { units, boundaries, headerCosts, floorOf, dominance }: CandidateCosts,
): FoundCandidates {
  const suffixes = buildSuffixArray(units.ids, units.alphabet)
  const lcp = buildLcpArray(units.ids, suffixes)
  const { nextSize, suffixSteps } = chooseSizes(lcp, CHOICES[tried], units.bytes)
  const { begins, ends } = boundaries
  const found = {
    length: new IntList(),
    cost: new IntList(),
    floor: new IntList(),
    maxNet: new IntList(),
    from: new IntList(),
    to: new IntList(),
  }
  const walk = new LcpIntervalWalk(lcp)
  while (walk.next()) {
    const { first, last, shorter, longest } = walk
    const begin = suffixes[first]!
    let next = nextSize(longest + 1, longest)
    while (next > shorter) {
      const size = next
      next = nextSize(size, longest)
      if (units.starts[begin + size]! - units.starts[begin]! > MAX_CANDIDATE_LENGTH) continue
      const floor = floorOf(begin, begin + size)
      if (floor === REJECTED) continue
      const savedOnce = ends[begin + size]! - begins[begin]!
      let gross = 0
      for (let rank = first; rank <= last; rank++) {
        const saved = ends[suffixes[rank]! + size]! - begins[suffixes[rank]!]!
        if (saved > 0) gross += saved
      }
      // An entry takes at least 2 tokens, and about as many as one occurrence saves: no need to count
      // exactly.
      if (gross <= Math.max(2, savedOnce - 1)) continue
      if (gross < floor) continue
      const header = headerCosts.count(begin, begin + size)
      const maxNet = gross - header
      if (maxNet < floor) continue
      if (dominance !== undefined) {
        // Only a length that is tried can dominate: this repeat's next one, or the shorter repeat's longest.
        const prefix = next > shorter ? next : nextSize(shorter + 1, shorter) === shorter ? shorter : 0
        if (dominance.hasDominatingPrefix(suffixes, first, last, size, prefix, header)) continue
        // The candidate without its first unit can dominate only if it is tried too.
        const hasSuffix = longest - size < suffixSteps
        if (hasSuffix && dominance.hasDominatingSuffix(suffixes, first, last, size, header)) continue
      }
      found.length.push(size)
      found.cost.push(header)
      found.floor.push(floor)
      found.maxNet.push(maxNet)
      found.from.push(first)
      found.to.push(last + 1)
    }
  }
  const from = found.from.take()
  return {
    sample: from.map((first) => suffixes[first]!),
    length: found.length.take(),
    cost: Float64Array.from(found.cost.take()),
    floor: found.floor.take(),
    extra: new Int32Array(from.length),
    maxNet: found.maxNet.take(),
    from,
    to: found.to.take(),
    positions: suffixes,
  }
}

/** Longest candidate, in units. */
const MAX_CANDIDATE_UNITS = 512
/**
 * Limits on the work per byte of text: 1 for each occurrence to visit, and {@link CANDIDATE_WORK}
 * for each candidate to count. Beyond them fewer lengths are tried, which no real text needs.
 */
const MAX_WORK = 24
const MAX_WORK_EVERY_SIZE = 11
const CANDIDATE_WORK = 2

/** The next shorter length to try, for repeats of up to `longest` units; 0 at the end. */
type NextSize = (size: number, longest: number) => number

/** The longest `suffixSteps` lengths are tried one by one. */
interface Sizes {
  readonly nextSize: NextSize
  readonly suffixSteps: number
}

const everySize: Sizes = {
  nextSize: (size) => Math.min(size - 1, MAX_CANDIDATE_UNITS),
  suffixSteps: Infinity,
}
const thinnedSizes = createThinnedSizes(8, (below) => below >> 2)
const sparseSizes = createThinnedSizes(2, (below) => below)
const manyListedSizes = createListedSizes([
  512, 384, 256, 192, 128, 96, 64, 48, 32, 24, 16, 12, 8, 7, 6, 5, 4, 3, 2, 1,
])
const fewListedSizes = createListedSizes([512, 128, 32, 12, 6, 4, 3, 2, 1])

const CHOICES: Record<'all' | 'most' | 'few' | 'none', readonly Sizes[]> = {
  all: [everySize, thinnedSizes, sparseSizes, manyListedSizes],
  most: [thinnedSizes, sparseSizes, manyListedSizes],
  few: [sparseSizes, manyListedSizes],
  none: [createListedSizes([])],
}

/** By one for the longest `suffixSteps`, then by `stepOf` of the distance to them. */
function createThinnedSizes(suffixSteps: number, stepOf: (below: number) => number): Sizes {
  const nextSize: NextSize = (size, longest) => {
    const below = longest - size
    const shorter = below < 0 ? longest : size - (below < suffixSteps ? 1 : stepOf(below))
    return Math.min(shorter, MAX_CANDIDATE_UNITS)
  }
  return { nextSize, suffixSteps }
}

function createListedSizes(sizes: readonly number[]): Sizes {
  return { nextSize: (size) => sizes.find((listed) => listed < size) ?? 0, suffixSteps: -Infinity }
}

function chooseSizes(lcp: Int32Array, choices: readonly Sizes[], bytes: number): Sizes {
  for (const sizes of choices) {
    const { nextSize } = sizes
    const limit = bytes * (sizes === everySize ? MAX_WORK_EVERY_SIZE : MAX_WORK)
    let work = 0
    const walk = new LcpIntervalWalk(lcp)
    while (work <= limit && walk.next()) {
      const { first, last, shorter, longest } = walk
      const ofSize = last - first + 1 + CANDIDATE_WORK
      for (let size = nextSize(longest + 1, longest); size > shorter; size = nextSize(size, longest))
        work += ofSize
    }
    if (work <= limit) return sizes
  }
  return fewListedSizes
}

/**
 * Builds the suffix array of an integer string by induced sorting, in O(n) time. Values must be in
 * `[0, alphabet)`. A suffix that is a prefix of another comes first. Algorithm: G. Nong, S. Zhang,
 * W. H. Chan, "Linear Suffix Array Construction by Almost Pure Induced-Sorting" (2009).
 */
export function buildSuffixArray(values: Int32Array, alphabet: number): Int32Array {
  const suffixes = new Int32Array(values.length)
  if (values.length > 0) induceSuffixes(values, alphabet, suffixes)
  return suffixes
}

/**
 * Builds the LCP array: the longest common prefix of each suffix with the previous one in the
 * suffix array; `lcp[0]` is 0. Algorithm: J. Kärkkäinen, G. Manzini, S. J. Puglisi, "Permuted
 * Longest-Common-Prefix Array" (2009), which computes T. Kasai's values (see below) in text order.
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

  suffixes.fill(-1, seeds)
  setBucketEnds(counts, buckets)
  for (let r = seeds - 1; r >= 0; r--) {
    const i = suffixes[r]!
    suffixes[r] = -1
    suffixes[--buckets[values[i]!]!] = i
  }
  induceFromSeeds(values, counts, buckets, isS, suffixes)
}

function induceFromSeeds(
  values: Int32Array,
  counts: Int32Array,
  buckets: Int32Array,
  isS: Uint8Array,
  suffixes: Int32Array,
): void {
  const n = values.length
  for (let c = 0, sum = 0; c < counts.length; c++) {
    buckets[c] = sum
    sum += counts[c]!
  }
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

function setBucketEnds(counts: Int32Array, buckets: Int32Array): void {
  for (let c = 0, sum = 0; c < counts.length; c++) {
    sum += counts[c]!
    buckets[c] = sum
  }
}

/**
 * Enumerates the LCP intervals, the classes of repeated substrings: those of `shorter + 1` to
 * `longest` values that start exactly at the suffixes of ranks `first` to `last`, all inclusive.
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
