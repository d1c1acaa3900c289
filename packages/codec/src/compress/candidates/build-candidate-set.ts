import type { BoundaryCosts } from '../cost/boundary-costs.ts'
import { freeArrays } from '../text/typed-arrays.ts'
import type { Units } from '../text/lex-units.ts'
import { FORBIDDEN_ADJACENCY, type CandidateSet, type CandidateSource } from './candidate-set.ts'
import type { OccurrenceRule } from './candidate-rules.ts'

/**
 * Collects the occurrences of `source`, without those that save nothing or that `occurrenceRule` forbids.
 *
 * @param canTouch Whether an occurrence may follow another one directly.
 */
export function buildCandidateSet(
  source: CandidateSource,
  boundaries: BoundaryCosts,
  occurrenceRule: OccurrenceRule,
  canTouch: boolean,
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
      if (ends[end]! - extra[candidate]! <= begins[begin]! || !occurrenceRule.allows(begin, end)) continue
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
      if (ends[end]! - extra[candidate]! <= begins[begin]! || !occurrenceRule.allows(begin, end)) continue
      const occurrence = next[end]!++
      occurrenceStart[occurrence] = begin
      occurrenceEnd[occurrence] = end
      occurrenceCandidate[occurrence] = candidate
      occurrenceSaved[occurrence] = ends[end]! - begins[begin]! - extra[candidate]!
    }
  }
  freeArrays(next)
  const occurrencesByCandidate = new Int32Array(occurrenceCount)
  const filled = firstByCandidate.slice()
  for (let occurrence = 0; occurrence < occurrenceCount; occurrence++)
    occurrencesByCandidate[filled[occurrenceCandidate[occurrence]!]!++] = occurrence
  freeArrays(filled)

  const adjacencyGain = new Int32Array(units + 1).fill(FORBIDDEN_ADJACENCY)
  if (canTouch) adjacencyGain.set(boundaries.adjacencyGain)
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

/** Returns the text of a candidate. */
export function readCandidateText(
  { set, units }: { readonly set: CandidateSet; readonly units: Units },
  candidate: number,
): string {
  const begin = set.sample[candidate]!
  return units.text.slice(units.starts[begin], units.starts[begin + set.length[candidate]!])
}
