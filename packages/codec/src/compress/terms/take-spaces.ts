import type { CandidateSet } from '../candidates/candidate-set.ts'
import type { Selection } from '../selection/prune-entries.ts'
import { CharKind } from '../text/char-kind.ts'
import type { Units } from '../text/lex-units.ts'

/**
 * Replaces each entry whose uses all follow a space by the one that begins with the space, if that saves no less. A space
 * and a term are one token in some tokenizers only; a term alone is one in nearly all.
 */
export function takeSpaces({ kinds }: Units, set: CandidateSet, selection: Selection): Selection {
  const occurrences = selection.occurrences.slice()
  const gross = new Map(selection.gross)
  let { value } = selection
  for (const [candidate, places] of groupByCandidate(set, occurrences)) {
    const wider = places.map((at) => findWithSpace(kinds, set, occurrences, at))
    const [first] = wider
    if (first === undefined || wider.includes(undefined)) continue
    const other = set.occurrenceCandidate[first]!
    if (gross.has(other)) continue
    const saved = wider.reduce<number>(
      (sum, occurrence, index) => sum + countGain(set, occurrences, places[index]!, occurrence!),
      0,
    )
    const gain = saved + set.cost[candidate]! - set.cost[other]!
    if (gain < 0) continue
    value += gain
    gross.set(other, gross.get(candidate)! + saved)
    gross.delete(candidate)
    for (const [index, at] of places.entries()) occurrences[at] = wider[index]!
  }
  return { value, occurrences, gross }
}

/** Returns the positions in `occurrences` of each candidate. */
function groupByCandidate(set: CandidateSet, occurrences: Int32Array): Map<number, number[]> {
  const groups = new Map<number, number[]>()
  for (const [at, occurrence] of occurrences.entries()) {
    const candidate = set.occurrenceCandidate[occurrence]!
    const group = groups.get(candidate)
    if (group) group.push(at)
    else groups.set(candidate, [at])
  }
  return groups
}

/** Finds the occurrence that also contains the space before the one at position `at`, if that space is free. */
function findWithSpace(
  kinds: Units['kinds'],
  set: CandidateSet,
  occurrences: Int32Array,
  at: number,
): number | undefined {
  const begin = set.occurrenceStart[occurrences[at]!]! - 1
  const end = set.occurrenceEnd[occurrences[at]!]!
  if (begin < 0 || kinds[begin] !== CharKind.space) return undefined
  if (at > 0 && set.occurrenceEnd[occurrences[at - 1]!]! > begin) return undefined
  for (let occurrence = set.firstByEnd[end]!; occurrence < set.firstByEnd[end + 1]!; occurrence++)
    if (set.occurrenceStart[occurrence] === begin) return occurrence
  return undefined
}

/** Counts the tokens that `occurrence` saves more than the one at position `at`, which ends at the same place. */
function countGain(set: CandidateSet, occurrences: Int32Array, at: number, occurrence: number): number {
  const begin = set.occurrenceStart[occurrence]!
  const touches = at > 0 && set.occurrenceEnd[occurrences[at - 1]!]! === begin
  const saved = set.occurrenceSaved[occurrence]! - set.occurrenceSaved[occurrences[at]!]!
  return touches ? saved + set.adjacencyGain[begin]! : saved
}
