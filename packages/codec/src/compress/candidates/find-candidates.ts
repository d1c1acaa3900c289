import type { BoundaryCosts } from '../cost/boundary-costs.ts'
import { REJECTED, type DominanceRule, type CandidateRule } from './candidate-rules.ts'
import { freeArrays, IntList } from '../text/typed-arrays.ts'
import type { HeaderCosts } from '../cost/header-costs.ts'
import type { Units } from '../text/lex-units.ts'
import type { FoundCandidates } from './candidate-set.ts'
import { LcpIntervalWalk, buildLcpArray, buildSuffixArray } from './suffix-array.ts'

/** Longest candidate, in UTF-16 units, which is the longest expansion of a header. */
const MAX_CANDIDATE_LENGTH = 4096

/** Costs and rules for candidates. */
export interface CandidateCosts {
  readonly units: Units
  readonly boundaries: BoundaryCosts
  readonly headerCosts: HeaderCosts
  readonly rule: CandidateRule
  /** Leaves out dominated candidates; all are kept if absent. */
  readonly dominance?: DominanceRule | undefined
}

/**
 * Finds the repeated phrases that the rule accepts and that would pay if nothing else were replaced.
 *
 * If the text repeats itself so much that these are too many, {@link indexRepeats} restricts the lengths that are
 * tried.
 */
export function findCandidates(
  { suffixes, lcp, nextSize, checksSuffix }: Repeats,
  { units, boundaries, headerCosts, rule, dominance }: CandidateCosts,
): FoundCandidates {
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
      const floor = rule.floorOf(begin, begin + size)
      if (floor === REJECTED) continue
      const inPlace = ends[begin + size]! - begins[begin]!
      let gross = 0
      for (let rank = first; rank <= last; rank++) {
        const saved = ends[suffixes[rank]! + size]! - begins[suffixes[rank]!]!
        if (saved > 0) gross += saved
      }
      // An entry takes at least 2 tokens, and about as many as one occurrence saves: this spares an exact count.
      if (gross <= Math.max(2, inPlace - 1)) continue
      if (gross < floor) continue
      const header = headerCosts.count(begin, begin + size)
      const maxNet = gross - header
      if (maxNet < floor) continue
      if (dominance !== undefined) {
        // Only a length that is tried can dominate: the next one of this repeat, or the longest of the shorter repeat.
        const prefix = next > shorter ? next : nextSize(shorter + 1, shorter) === shorter ? shorter : 0
        if (dominance.hasDominatingPrefix(suffixes, first, last, size, prefix, header)) continue
        if (checksSuffix(size, longest) && dominance.hasDominatingSuffix(suffixes, first, last, size, header))
          continue
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
 * Limits of the work per byte of text: an occurrence to look at is 1, a candidate to count {@link CANDIDATE_WORK} more.
 * If the lengths to try take more, fewer are tried. No real text of the benchmark does.
 */
const MAX_WORK = 24
const MAX_WORK_EVERY_SIZE = 11
const CANDIDATE_WORK = 2

/** The repeats of a text: its suffix array, its LCP array, and the lengths to try. */
interface Repeats {
  readonly suffixes: Int32Array
  readonly lcp: Int32Array
  readonly nextSize: NextSize
  /** Whether a candidate of `size` units without its first unit is tried too, for repeats of up to `longest` units. */
  readonly checksSuffix: (size: number, longest: number) => boolean
}

/** Returns the next shorter length to try after `size`, for repeats of up to `longest` units; 0 at the end. */
type NextSize = (size: number, longest: number) => number

/**
 * Indexes the repeats of a text.
 *
 * @param ends How many ends of a long repeat to try; fewer if there are too many occurrences.
 */
export function indexRepeats({ ids, alphabet, bytes }: Units, ends: 'all' | 'most' | 'few'): Repeats {
  const suffixes = buildSuffixArray(ids, alphabet)
  const lcp = buildLcpArray(ids, suffixes)
  const nextSize = chooseSizes(lcp, CHOICES[ends], bytes)
  const checksSuffix = (size: number, longest: number): boolean =>
    nextSize === everySize ||
    (nextSize === thinnedSize && longest - size < SINGLE_STEPS_THINNED) ||
    (nextSize === sparseSize && longest - size < SINGLE_STEPS_SPARSE)
  return { suffixes, lcp, nextSize, checksSuffix }
}

const everySize: NextSize = (size) => Math.min(size - 1, MAX_CANDIDATE_UNITS)
/** Steps of one unit before {@link thinnedSize} takes longer ones; suffixes of these candidates are tried too. */
const SINGLE_STEPS_THINNED = 8
const thinnedSize: NextSize = (size, longest) =>
  Math.min(
    size > longest ? longest : size - (longest - size < SINGLE_STEPS_THINNED ? 1 : (longest - size) >> 2),
    MAX_CANDIDATE_UNITS,
  )
/** The same for {@link sparseSize}. */
const SINGLE_STEPS_SPARSE = 2
const sparseSize: NextSize = (size, longest) =>
  Math.min(size > longest ? longest : size - Math.max(1, longest - size), MAX_CANDIDATE_UNITS)
/** Tries the lengths of a list, in falling order. */
function createListedSizes(sizes: readonly number[]): NextSize {
  return (size) => sizes.find((listed) => listed < size) ?? 0
}

const manyListedSizes = createListedSizes([
  512, 384, 256, 192, 128, 96, 64, 48, 32, 24, 16, 12, 8, 7, 6, 5, 4, 3, 2, 1,
])
const fewListedSizes = createListedSizes([512, 128, 32, 12, 6, 4, 3, 2, 1])

const CHOICES = {
  all: [everySize, thinnedSize, sparseSize, manyListedSizes],
  most: [thinnedSize, sparseSize, manyListedSizes],
  few: [sparseSize, manyListedSizes],
} as const

/** Returns the first of `choices` that keeps the work within the limit. */
function chooseSizes(lcp: Int32Array, choices: readonly NextSize[], bytes: number): NextSize {
  for (const nextSize of choices) {
    const limit = bytes * (nextSize === everySize ? MAX_WORK_EVERY_SIZE : MAX_WORK)
    let work = 0
    const walk = new LcpIntervalWalk(lcp)
    while (work <= limit && walk.next()) {
      const { first, last, shorter, longest } = walk
      const ofSize = last - first + 1 + CANDIDATE_WORK
      for (let size = nextSize(longest + 1, longest); size > shorter; size = nextSize(size, longest))
        work += ofSize
    }
    walk.free()
    if (work <= limit) return nextSize
  }
  return fewListedSizes
}
