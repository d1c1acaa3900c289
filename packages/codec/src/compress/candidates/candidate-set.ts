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

/** Candidates with an upper bound on what each saves. */
export interface FoundCandidates extends CandidateSource {
  /** Net tokens that each candidate would save if all its positions could be used. */
  readonly maxNet: Int32Array
}

/** Keeps the candidates marked in `isKept`. */
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
    count,
    units: set.units,
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
    adjacencyGain: set.adjacencyGain,
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
