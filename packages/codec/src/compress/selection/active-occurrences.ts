import { freeArrays } from '../text/typed-arrays.ts'
import type { CandidateSet } from '../candidates/candidate-set.ts'
import type { CoverProblem } from './cover-text.ts'
import type { Multipliers } from './init-multipliers.ts'

/**
 * The occurrences that a cover may use soon, by ascending end, with renumbered boundaries: only those where one of
 * them starts or ends.
 */
export interface ActiveOccurrences extends CoverProblem {
  /** What each occurrence saves, less its multiplier. */
  readonly weights: Float32Array
  /** Candidate of each occurrence, and its rank among all (see {@link Multipliers}). */
  readonly candidates: Int32Array
  readonly ranks: Int32Array
  /** For each rank of a candidate with active occurrences the number of the occurrence here; -1 if it is not active. */
  readonly slots: Int32Array
}

/** Sets the weight of each occurrence of a set: what it saves, less its multiplier. */
export function weighOccurrences(
  { occurrencesByCandidate }: CandidateSet,
  { values, saved }: Multipliers,
  weights: Float32Array,
): void {
  for (let rank = 0; rank < values.length; rank++)
    weights[occurrencesByCandidate[rank]!] = saved[rank]! - values[rank]!
}

/**
 * Collects the occurrences whose best cover is worth at most `margin` less than the best cover of all.
 *
 * @param reach Best value up to each boundary for an occurrence that starts there, from a sweep with these `weights`.
 */
export function collectActive(
  set: CandidateSet,
  { values, saved }: Multipliers,
  weights: Float32Array,
  reach: Float64Array,
  margin: number,
): ActiveOccurrences {
  const { units, occurrenceStart, occurrenceEnd, firstByCandidate, occurrencesByCandidate } = set
  const numbers = new Int32Array(set.occurrenceCount)
  const boundaries = new Int32Array(units + 1)
  const rest = sweepBack(set, weights)
  const least = rest[0]! - margin
  let count = 0
  for (let occurrence = 0; occurrence < set.occurrenceCount; occurrence++) {
    const start = occurrenceStart[occurrence]!
    const end = occurrenceEnd[occurrence]!
    if (reach[start]! + weights[occurrence]! + rest[end]! < least) {
      numbers[occurrence] = -1
      continue
    }
    numbers[occurrence] = count++
    boundaries[start] = 1
    boundaries[end] = 1
  }
  freeArrays(rest)
  let last = 0
  for (let boundary = 1; boundary <= units; boundary++) {
    last += boundaries[boundary]!
    boundaries[boundary] = last
  }
  boundaries[0] = 0
  const active = {
    units: last,
    firstByEnd: new Int32Array(last + 2),
    occurrenceStart: new Int32Array(count),
    adjacencyGain: new Int32Array(last + 1),
    weights: new Float32Array(count),
    candidates: new Int32Array(count),
    ranks: new Int32Array(count),
    slots: new Int32Array(set.occurrenceCount),
  }
  const isActive = new Uint8Array(set.count)
  for (let occurrence = 0; occurrence < set.occurrenceCount; occurrence++) {
    const number = numbers[occurrence]!
    if (number < 0) continue
    active.occurrenceStart[number] = boundaries[occurrenceStart[occurrence]!]!
    const candidate = set.occurrenceCandidate[occurrence]!
    active.candidates[number] = candidate
    isActive[candidate] = 1
    active.firstByEnd[boundaries[occurrenceEnd[occurrence]!]! + 1] = number + 1
  }
  for (let end = 1; end < active.firstByEnd.length; end++) {
    if (active.firstByEnd[end]! < active.firstByEnd[end - 1]!)
      active.firstByEnd[end] = active.firstByEnd[end - 1]!
  }
  for (let boundary = units; boundary >= 0; boundary--)
    active.adjacencyGain[boundaries[boundary]!] = set.adjacencyGain[boundary]!
  for (let candidate = 0; candidate < set.count; candidate++) {
    if (isActive[candidate] === 0) continue
    for (let rank = firstByCandidate[candidate]!; rank < firstByCandidate[candidate + 1]!; rank++) {
      const number = numbers[occurrencesByCandidate[rank]!]!
      active.slots[rank] = number
      if (number < 0) continue
      active.ranks[number] = rank
      active.weights[number] = saved[rank]! - values[rank]!
    }
  }
  freeArrays(numbers, boundaries)
  return active
}

/** Frees the memory; the occurrences must not be used afterwards. */
export function freeActive(active: ActiveOccurrences): void {
  freeArrays(active.firstByEnd, active.occurrenceStart, active.adjacencyGain)
  freeArrays(active.weights, active.candidates, active.ranks, active.slots)
}

/**
 * Returns for each boundary the best value of the cover after it, if an occurrence ends there; for boundary 0 that of the
 * whole text.
 */
function sweepBack(
  { units, firstByEnd, occurrenceStart, adjacencyGain }: CoverProblem,
  weights: Float32Array,
): Float64Array {
  // Up to the visit of a boundary: the best value if an occurrence starts there.
  const after = new Float64Array(units + 1).fill(-Infinity)
  let byText = 0
  let occurrence = firstByEnd[units + 1]! - 1
  for (let boundary = units; boundary >= 0; boundary--) {
    const byOccurrence = after[boundary]!
    const value = Math.max(byText, byOccurrence + adjacencyGain[boundary]!)
    if (byOccurrence > byText) byText = byOccurrence
    after[boundary] = value
    const stop = firstByEnd[boundary]!
    for (; occurrence >= stop; occurrence--) {
      const start = occurrenceStart[occurrence]!
      const through = value + weights[occurrence]!
      if (through > after[start]!) after[start] = through
    }
  }
  after[0] = byText
  return after
}
