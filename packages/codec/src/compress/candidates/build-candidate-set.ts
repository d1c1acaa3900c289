import type { BoundaryCosts } from '../cost/boundary-costs.ts'
import type { Units } from '../text/lex-units.ts'
import {
  type CandidateSet,
  type CandidateSource,
  type FoundCandidates,
  keepCandidates,
} from './candidate-set.ts'
import type { OccurrenceRule } from './candidate-rules.ts'

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
