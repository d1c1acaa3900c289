import type { BoundaryCosts } from '../cost/boundary-costs.ts'
import { REJECTED, type DominanceRule, type FloorOf } from './candidate-rules.ts'
import { freeArrays, IntList } from '../text/typed-arrays.ts'
import type { HeaderCosts } from '../cost/header-costs.ts'
import type { Units } from '../text/lex-units.ts'
import type { FoundCandidates } from './candidate-set.ts'
import { LcpIntervalWalk, buildLcpArray, buildSuffixArray } from './suffix-array.ts'

/** Longest candidate, in UTF-16 units: the longest expansion that a header may contain. */
const MAX_CANDIDATE_LENGTH = 4096

/** Costs and rules for candidates. */
export interface CandidateCosts {
  readonly units: Units
  readonly boundaries: BoundaryCosts
  readonly headerCosts: HeaderCosts
  readonly floorOf: FloorOf
  /** Drops dominated candidates; all are kept if absent. */
  readonly dominance?: DominanceRule | undefined
}

/**
 * Finds the repeated phrases that `floorOf` accepts and that would pay if nothing else were
 * replaced.
 *
 * @param tried How many ends of a long repeat to try; fewer if there are too many occurrences.
 */
export function findCandidates(
  tried: 'all' | 'most' | 'few',
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
  walk.free()
  freeArrays(lcp)
  const from = found.from.take()
  const cost = found.cost.take()
  const costs = Float64Array.from(cost)
  freeArrays(cost)
  return {
    sample: from.map((first) => suffixes[first]!),
    length: found.length.take(),
    cost: costs,
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
 * for each candidate to count. If trying all lengths exceeds them, fewer are tried. No real text in
 * the benchmark does.
 */
const MAX_WORK = 24
const MAX_WORK_EVERY_SIZE = 11
const CANDIDATE_WORK = 2

/**
 * Returns the next shorter length to try after `size`, for repeats of up to `longest` units; 0 at
 * the end.
 */
type NextSize = (size: number, longest: number) => number

/** The lengths of a repeat to try. The longest `suffixSteps` are tried one by one. */
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

const CHOICES = {
  all: [everySize, thinnedSizes, sparseSizes, manyListedSizes],
  most: [thinnedSizes, sparseSizes, manyListedSizes],
  few: [sparseSizes, manyListedSizes],
} as const

/**
 * Goes down by one for the longest `suffixSteps`, then by `stepOf` of the distance to the longest.
 */
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
    walk.free()
    if (work <= limit) return sizes
  }
  return fewListedSizes
}
