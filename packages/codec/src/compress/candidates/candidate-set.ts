import type { BoundaryCosts } from '../cost/piece-counter.ts'
import type { Units } from '../text/lex-units.ts'
import type { OccurrenceRule } from './candidate-rules.ts'

/**
 * Candidates for entries, with all occurrences where each may be replaced. Occurrences are numbered
 * by ascending end. Lists are flat: `x[firstX[k]]` to `x[firstX[k + 1] - 1]`.
 */
export interface CandidateSet {
  readonly count: number
  readonly units: number
  /** First unit of one occurrence of each candidate, and its length in units. */
  readonly sample: Int32Array
  readonly length: Int32Array
  /** Tokens of each candidate's entry in the header. */
  readonly cost: Float64Array
  /** Net tokens that an entry of each candidate must save. */
  readonly floor: Int32Array
  readonly occurrenceCount: number
  /** Unit boundaries where each occurrence starts and ends. */
  readonly occurrenceStart: Int32Array
  readonly occurrenceEnd: Int32Array
  readonly occurrenceCandidate: Int32Array
  /** Tokens that each saves. Fits 16 bits: 4096 UTF-16 units have fewer than 12,289 tokens. */
  readonly occurrenceSaved: Int16Array
  /** First occurrence that ends at each unit boundary, then the number of occurrences. */
  readonly firstByEnd: Int32Array
  /** Ascending. */
  readonly firstByCandidate: Int32Array
  readonly occurrencesByCandidate: Int32Array
  /** Extra tokens saved by an occurrence that directly follows another, by unit boundary. */
  readonly adjacencyGain: Int32Array
}

/** Candidates with their first units: `positions[from]` up to `positions[to]`. */
export interface CandidateSource {
  readonly sample: Int32Array
  readonly length: Int32Array
  readonly cost: Float64Array
  readonly floor: Int32Array
  /** Tokens of each candidate's term beyond one. */
  readonly extra: Int32Array
  readonly from: Int32Array
  readonly to: Int32Array
  readonly positions: Int32Array
}

export interface FoundCandidates extends CandidateSource {
  /** Net tokens that each candidate would save if all its positions could be used. */
  readonly maxNet: Int32Array
}

export function keepCandidates(found: FoundCandidates, isKept: Uint8Array): FoundCandidates {
  if (!isKept.includes(0)) return found
  const isWanted = (_: number, candidate: number): boolean => isKept[candidate] === 1
  return {
    sample: found.sample.filter(isWanted),
    length: found.length.filter(isWanted),
    cost: found.cost.filter(isWanted),
    floor: found.floor.filter(isWanted),
    extra: found.extra.filter(isWanted),
    from: found.from.filter(isWanted),
    to: found.to.filter(isWanted),
    maxNet: found.maxNet.filter(isWanted),
    positions: found.positions,
  }
}

export function listOccurrences(set: CandidateSet, candidate: number): Int32Array {
  return set.occurrencesByCandidate.subarray(
    set.firstByCandidate[candidate],
    set.firstByCandidate[candidate + 1],
  )
}

/** Some candidates of a set, with the numbers of candidates and occurrences in the original set. */
export interface RestrictedSet extends CandidateSet {
  readonly originalOccurrence: Int32Array
  readonly originalCandidate: Int32Array
}

/** Keeps the candidates in `kept` with their occurrences that are not in `banned`. */
export function restrictSet(set: CandidateSet, kept: Uint8Array, banned?: Uint8Array): RestrictedSet {
  const originalCandidate = Int32Array.from(kept.keys()).filter((candidate) => kept[candidate] === 1)
  const count = originalCandidate.length
  const newIndex = new Int32Array(set.count)
  for (let candidate = 0; candidate < count; candidate++) newIndex[originalCandidate[candidate]!] = candidate
  const sizes = new Int32Array(count + 1)
  const isKept = new Uint8Array(set.occurrenceCount)
  let occurrenceCount = 0
  for (let candidate = 0; candidate < count; candidate++) {
    const original = originalCandidate[candidate]!
    for (let rank = set.firstByCandidate[original]!; rank < set.firstByCandidate[original + 1]!; rank++) {
      const occurrence = set.occurrencesByCandidate[rank]!
      if (banned?.[occurrence] === 1) continue
      isKept[occurrence] = 1
      sizes[candidate + 1]!++
      occurrenceCount++
    }
  }
  const firstByCandidate = sizes
  for (let candidate = 0; candidate < count; candidate++)
    firstByCandidate[candidate + 1]! += firstByCandidate[candidate]!
  const filled = firstByCandidate.slice()
  const originalOccurrence = new Int32Array(occurrenceCount)
  const occurrenceCandidate = new Int32Array(occurrenceCount)
  const occurrenceStart = new Int32Array(occurrenceCount)
  const occurrenceEnd = new Int32Array(occurrenceCount)
  const occurrenceSaved = new Int16Array(occurrenceCount)
  const occurrencesByCandidate = new Int32Array(occurrenceCount)
  const firstByEnd = new Int32Array(set.units + 2)
  for (let occurrence = 0, next = 0; occurrence < set.occurrenceCount; occurrence++) {
    if (isKept[occurrence] === 0) continue
    const candidate = newIndex[set.occurrenceCandidate[occurrence]!]!
    originalOccurrence[next] = occurrence
    occurrenceCandidate[next] = candidate
    occurrenceStart[next] = set.occurrenceStart[occurrence]!
    occurrenceEnd[next] = set.occurrenceEnd[occurrence]!
    occurrenceSaved[next] = set.occurrenceSaved[occurrence]!
    occurrencesByCandidate[filled[candidate]!++] = next
    firstByEnd[set.occurrenceEnd[occurrence]! + 1] = ++next
  }
  fillGaps(firstByEnd)
  return {
    ...set,
    count,
    sample: originalCandidate.map((candidate) => set.sample[candidate]!),
    length: originalCandidate.map((candidate) => set.length[candidate]!),
    cost: Float64Array.from(originalCandidate, (candidate) => set.cost[candidate]!),
    floor: originalCandidate.map((candidate) => set.floor[candidate]!),
    occurrenceCount,
    occurrenceStart,
    occurrenceEnd,
    occurrenceCandidate,
    occurrenceSaved,
    firstByEnd,
    firstByCandidate,
    occurrencesByCandidate,
    originalOccurrence,
    originalCandidate,
  }
}

/** Keeps and renumbers the boundaries of occurrences, so that covers take less time. */
export function dropUnusedBoundaries<Set extends CandidateSet>(set: Set): Set {
  const newBoundary = new Int32Array(set.units + 1)
  for (let occurrence = 0; occurrence < set.occurrenceCount; occurrence++) {
    newBoundary[set.occurrenceStart[occurrence]!] = 1
    newBoundary[set.occurrenceEnd[occurrence]!] = 1
  }
  let units = 0
  for (let boundary = 1; boundary <= set.units; boundary++) {
    units += newBoundary[boundary]!
    newBoundary[boundary] = units
  }
  newBoundary[0] = 0
  const occurrenceStart = new Int32Array(set.occurrenceCount)
  const occurrenceEnd = new Int32Array(set.occurrenceCount)
  const firstByEnd = new Int32Array(units + 2)
  for (let occurrence = 0; occurrence < set.occurrenceCount; occurrence++) {
    occurrenceStart[occurrence] = newBoundary[set.occurrenceStart[occurrence]!]!
    occurrenceEnd[occurrence] = newBoundary[set.occurrenceEnd[occurrence]!]!
    firstByEnd[occurrenceEnd[occurrence]! + 1] = occurrence + 1
  }
  fillGaps(firstByEnd)
  const adjacencyGain = new Int32Array(units + 1)
  for (let boundary = set.units; boundary >= 0; boundary--)
    adjacencyGain[newBoundary[boundary]!] = set.adjacencyGain[boundary]!
  return { ...set, units, occurrenceStart, occurrenceEnd, firstByEnd, adjacencyGain }
}

/** At a boundary where no occurrence ends, repeats the value of the boundary before it. */
function fillGaps(firstByEnd: Int32Array): void {
  for (let end = 1; end < firstByEnd.length; end++)
    firstByEnd[end] = Math.max(firstByEnd[end]!, firstByEnd[end - 1]!)
}

/** Collects the occurrences that save something and that `occurrenceRule` allows. */
export function buildCandidateSet(
  source: CandidateSource,
  boundaries: BoundaryCosts,
  occurrenceRule: OccurrenceRule,
): CandidateSet {
  const { sample, length, cost, floor, extra, from, to, positions } = source
  const { begins, ends } = boundaries
  const units = begins.length - 1
  const count = sample.length
  const firstByEnd = new Int32Array(units + 2)
  const firstByCandidate = new Int32Array(count + 1)
  for (let candidate = 0; candidate < count; candidate++) {
    for (let at = from[candidate]!; at < to[candidate]!; at++) {
      const begin = positions[at]!
      const end = begin + length[candidate]!
      if (ends[end]! - extra[candidate]! <= begins[begin]! || !occurrenceRule(begin, end)) continue
      firstByEnd[end + 1]!++
      firstByCandidate[candidate + 1]!++
    }
  }
  for (let end = 0; end <= units; end++) firstByEnd[end + 1]! += firstByEnd[end]!
  for (let candidate = 0; candidate < count; candidate++)
    firstByCandidate[candidate + 1]! += firstByCandidate[candidate]!

  const occurrenceCount = firstByCandidate[count]!
  const occurrenceStart = new Int32Array(occurrenceCount)
  const occurrenceEnd = new Int32Array(occurrenceCount)
  const occurrenceCandidate = new Int32Array(occurrenceCount)
  const occurrenceSaved = new Int16Array(occurrenceCount)
  const next = firstByEnd.slice()
  for (let candidate = 0; candidate < count; candidate++) {
    for (let at = from[candidate]!; at < to[candidate]!; at++) {
      const begin = positions[at]!
      const end = begin + length[candidate]!
      if (ends[end]! - extra[candidate]! <= begins[begin]! || !occurrenceRule(begin, end)) continue
      const occurrence = next[end]!++
      occurrenceStart[occurrence] = begin
      occurrenceEnd[occurrence] = end
      occurrenceCandidate[occurrence] = candidate
      occurrenceSaved[occurrence] = ends[end]! - begins[begin]! - extra[candidate]!
    }
  }
  const occurrencesByCandidate = new Int32Array(occurrenceCount)
  const filled = firstByCandidate.slice()
  for (let occurrence = 0; occurrence < occurrenceCount; occurrence++)
    occurrencesByCandidate[filled[occurrenceCandidate[occurrence]!]!++] = occurrence

  const adjacencyGain = Int32Array.from(boundaries.adjacencyGain)
  return {
    count,
    units,
    sample,
    length,
    cost,
    floor,
    occurrenceCount,
    occurrenceStart,
    occurrenceEnd,
    occurrenceCandidate,
    occurrenceSaved,
    firstByEnd,
    firstByCandidate,
    occurrencesByCandidate,
    adjacencyGain,
  }
}

export function readCandidateText(
  { set, units }: { readonly set: CandidateSet; readonly units: Units },
  candidate: number,
): string {
  const begin = set.sample[candidate]!
  return units.text.slice(units.starts[begin], units.starts[begin + set.length[candidate]!])
}

/** How many occurrences a selection may visit, per byte of text. */
export interface OccurrenceLimit {
  /** Up to this number all are kept in small texts. No real text has more. */
  readonly most: number
  /** Beyond that, about this number is kept, and at most twice as many. */
  readonly kept: number
}

/** In bytes. Beyond, only `kept` counts: visits take longer, and real texts have fewer. */
const SMALL_TEXT = 48_000

/**
 * Drops the candidates that could save least from a text with too many occurrences. Every step of
 * the selection visits all occurrences, and texts of few different characters have many times more
 * of them than ordinary text.
 */
export function limitOccurrences(
  found: FoundCandidates,
  boundaries: BoundaryCosts,
  occurrenceRule: OccurrenceRule,
  bytes: number,
  { most, kept }: OccurrenceLimit,
): FoundCandidates {
  const { from, to } = found
  const limit = kept * bytes + (most - kept) * Math.min(bytes, SMALL_TEXT)
  let positions = 0
  for (let candidate = 0; candidate < from.length; candidate++) positions += to[candidate]! - from[candidate]!
  if (positions <= limit) return found
  if (countOccurrences(found, boundaries, occurrenceRule) <= limit) return found
  return keepCandidates(found, chooseKept(found, boundaries, occurrenceRule, kept * bytes))
}

function countOccurrences(
  { length, from, to, positions }: FoundCandidates,
  { begins, ends }: BoundaryCosts,
  occurrenceRule: OccurrenceRule,
): number {
  let count = 0
  for (let candidate = 0; candidate < length.length; candidate++) {
    for (let at = from[candidate]!; at < to[candidate]!; at++) {
      const begin = positions[at]!
      const end = begin + length[candidate]!
      if (ends[end]! > begins[begin]! && occurrenceRule(begin, end)) count++
    }
  }
  return count
}

/** Log₂ of the units in a block of text. */
const BLOCK_BITS = 6
/** Classes of lengths share the room of a block, or the shortest would take it all. */
const LENGTH_CLASSES = 10
const LENGTH_SHARE = 0.3
/** Higher savings count as this. */
const MAX_NET = 1 << 12

/**
 * Marks the candidates to keep, those that could save most first, while the blocks of text they
 * occur in have room for at least half of their occurrences. So one repeat with many lengths leaves
 * room for others.
 */
function chooseKept(
  found: FoundCandidates,
  { begins, ends }: BoundaryCosts,
  occurrenceRule: OccurrenceRule,
  limit: number,
): Uint8Array {
  const { length, from, to, positions, maxNet } = found
  const isKept = new Uint8Array(length.length)
  const blocks = ((begins.length - 1) >> BLOCK_BITS) + 1
  const rooms = new Float64Array(blocks).fill(limit / blocks)
  const roomsOfLength = new Float64Array(blocks * LENGTH_CLASSES).fill((limit / blocks) * LENGTH_SHARE)
  for (const candidate of sortByNet(maxNet)) {
    const lengthClass = 31 - Math.clz32(length[candidate]!)
    let count = 0
    let fitting = 0
    for (let at = from[candidate]!; at < to[candidate]!; at++) {
      const begin = positions[at]!
      const end = begin + length[candidate]!
      if (ends[end]! <= begins[begin]! || !occurrenceRule(begin, end)) continue
      count++
      const block = begin >> BLOCK_BITS
      if (rooms[block]! > 0 && roomsOfLength[block * LENGTH_CLASSES + lengthClass]! > 0) fitting++
    }
    if (2 * fitting < count) continue
    isKept[candidate] = 1
    for (let at = from[candidate]!; at < to[candidate]!; at++) {
      const block = positions[at]! >> BLOCK_BITS
      rooms[block]!--
      roomsOfLength[block * LENGTH_CLASSES + lengthClass]!--
    }
  }
  return isKept
}

function sortByNet(maxNet: Int32Array): Int32Array {
  const starts = new Int32Array(MAX_NET + 2)
  const bucketOf = (net: number): number => MAX_NET - Math.min(MAX_NET, Math.max(0, net))
  for (const net of maxNet) starts[bucketOf(net) + 1]!++
  for (let bucket = 0; bucket <= MAX_NET; bucket++) starts[bucket + 1]! += starts[bucket]!
  const sorted = new Int32Array(maxNet.length)
  for (let candidate = 0; candidate < maxNet.length; candidate++)
    sorted[starts[bucketOf(maxNet[candidate]!)]!++] = candidate
  return sorted
}
