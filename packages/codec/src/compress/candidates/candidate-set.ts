import { freeArrays } from '../text/typed-arrays.ts'

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
  /**
   * Tokens that each occurrence saves. Fits 16 bits: a candidate has at most 4096 UTF-16 units, so
   * fewer than 12,289 tokens.
   */
  readonly occurrenceSaved: Int16Array
  /** First occurrence that ends at each unit boundary, then the number of occurrences. */
  readonly firstByEnd: Int32Array
  /** Ascending. */
  readonly firstByCandidate: Int32Array
  readonly occurrencesByCandidate: Int32Array
  /** Extra tokens saved by an occurrence that directly follows another, by unit boundary. */
  readonly adjacencyGain: Int32Array
}

/**
 * Candidates with their possible positions: `from` up to `to` (exclusive) in a list of first units.
 */
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

/** Candidates with an upper bound on what each saves. */
export interface FoundCandidates extends CandidateSource {
  /** Net tokens that each candidate would save if all its positions could be used. */
  readonly maxNet: Int32Array
}

/** Keeps the candidates marked in `isKept`, and frees the lists of `found` if any is dropped. */
export function keepCandidates(found: FoundCandidates, isKept: Uint8Array): FoundCandidates {
  const kept = new Int32Array(countMarks(isKept))
  if (kept.length === isKept.length) return found
  for (let candidate = 0, count = 0; candidate < isKept.length; candidate++)
    if (isKept[candidate] === 1) kept[count++] = candidate
  const { sample, length, cost, floor, extra, from, to, positions, maxNet } = found
  const picked = {
    sample: pick(sample, kept, new Int32Array(kept.length)),
    length: pick(length, kept, new Int32Array(kept.length)),
    cost: pick(cost, kept, new Float64Array(kept.length)),
    floor: pick(floor, kept, new Int32Array(kept.length)),
    extra: pick(extra, kept, new Int32Array(kept.length)),
    from: pick(from, kept, new Int32Array(kept.length)),
    to: pick(to, kept, new Int32Array(kept.length)),
    maxNet: pick(maxNet, kept, new Int32Array(kept.length)),
    positions,
  }
  freeArrays(kept, sample, length, cost, floor, extra, from, to, maxNet)
  return picked
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

/**
 * Keeps the candidates marked in `kept` and their occurrences, except those marked in `banned`, in
 * order.
 */
export function restrictSet(set: CandidateSet, kept: Uint8Array, banned?: Uint8Array): RestrictedSet {
  const newIndex = new Int32Array(set.count)
  const originalCandidate = new Int32Array(countMarks(kept))
  for (let candidate = 0, count = 0; candidate < set.count; candidate++) {
    if (kept[candidate] !== 1) continue
    originalCandidate[count] = candidate
    newIndex[candidate] = count++
  }
  const count = originalCandidate.length
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
  freeArrays(newIndex, filled, isKept)
  return {
    count,
    units: set.units,
    sample: pick(set.sample, originalCandidate, new Int32Array(count)),
    length: pick(set.length, originalCandidate, new Int32Array(count)),
    cost: pick(set.cost, originalCandidate, new Float64Array(count)),
    floor: pick(set.floor, originalCandidate, new Int32Array(count)),
    occurrenceCount,
    occurrenceStart,
    occurrenceEnd,
    occurrenceCandidate,
    occurrenceSaved,
    firstByEnd,
    firstByCandidate,
    occurrencesByCandidate,
    adjacencyGain: set.adjacencyGain,
    originalOccurrence,
    originalCandidate,
  }
}

/**
 * Keeps only the boundaries where an occurrence starts or ends, so that covers take less time.
 * Boundaries are renumbered and no longer match the units of the text.
 */
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
  freeArrays(newBoundary)
  return { ...set, units, occurrenceStart, occurrenceEnd, firstByEnd, adjacencyGain }
}

/** At a boundary where no occurrence ends, repeats the value of the boundary before it. */
function fillGaps(firstByEnd: Int32Array): void {
  for (let end = 1; end < firstByEnd.length; end++)
    firstByEnd[end] = Math.max(firstByEnd[end]!, firstByEnd[end - 1]!)
}

function pick<Values extends Int32Array | Float64Array>(
  values: Values,
  indices: Int32Array,
  picked: Values,
): Values {
  for (let at = 0; at < indices.length; at++) picked[at] = values[indices[at]!]!
  return picked
}

function countMarks(marks: Uint8Array): number {
  let count = 0
  for (let at = 0; at < marks.length; at++) count += marks[at]!
  return count
}
