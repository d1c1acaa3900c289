import type { CandidateSet } from '../candidates/candidate-set.ts'
import type { Selection } from '../selection/prune-entries.ts'
import { CharKind } from '../text/char-kind.ts'
import type { Units } from '../text/lex-units.ts'
import type { TermLetter } from './letter-table.ts'

export interface TermOptions {
  readonly units: Units
  readonly set: CandidateSet
  readonly pins: ReadonlyMap<number, string>
  /** Cheapest first. */
  readonly letters: readonly TermLetter[]
}

export interface CandidateUsage {
  readonly candidate: number
  readonly count: number
  /** Occurrences after a space that stays. */
  readonly afterSpace: number
}

/**
 * Assigns each selected candidate a term that the text does not contain. Once terms run out, the
 * remaining candidates are missing from the result.
 */
export function assignTerms(options: TermOptions, { occurrences, gross }: Selection): Map<number, string> {
  const { pins, letters } = options
  const pinned = [...pins].filter(([candidate]) => gross.has(candidate))
  const unpinned = countUsages(options, occurrences).filter(({ candidate }) => !pins.has(candidate))
  const reserved = [...pins.values()]
  const free = letters.filter(({ term }) => !reserved.some((pin) => pin.includes(term)))
  return new Map([...pinned, ...assignLetters(unpinned, free)])
}

function countUsages({ set, units: { kinds } }: TermOptions, occurrences: Int32Array): CandidateUsage[] {
  const usages = new Map<number, { candidate: number; count: number; afterSpace: number }>()
  for (const occurrence of occurrences) {
    const candidate = set.occurrenceCandidate[occurrence]!
    const usage = usages.get(candidate) ?? { candidate, count: 0, afterSpace: 0 }
    const begin = set.occurrenceStart[occurrence]!
    usage.count++
    if (begin > 0 && kinds[begin - 1] === CharKind.space) usage.afterSpace++
    usages.set(candidate, usage)
  }
  return [...usages.values()]
}

/**
 * Assigns each candidate a letter. Letters that form one token with a space before them go to the
 * candidates that most often follow a space. Within both groups, the most used candidate gets the
 * cheapest letter.
 * @param free Unused letters, cheapest first.
 */
export function assignLetters(
  candidates: readonly CandidateUsage[],
  free: readonly TermLetter[],
): Map<number, string> {
  const merging = free
    .filter((letter) => letter.mergesWithSpace)
    .toSorted((a, b) => a.spacedCost - b.spacedCost)
  const spaced = candidates
    .toSorted((a, b) => b.afterSpace - a.afterSpace || byCount(a, b))
    .filter((usage, rank) => usage.afterSpace > 0 && rank < merging.length)
    .toSorted(byCount)
  const terms = new Map(spaced.map(({ candidate }, rank) => [candidate, merging[rank]!.term]))
  const taken = new Set(terms.values())
  const unused = free.filter(({ term }) => !taken.has(term))
  const others = candidates.filter(({ candidate }) => !terms.has(candidate)).toSorted(byCount)
  for (const [rank, { candidate }] of others.slice(0, unused.length).entries())
    terms.set(candidate, unused[rank]!.term)
  return terms
}

function byCount(a: CandidateUsage, b: CandidateUsage): number {
  return b.count - a.count || a.candidate - b.candidate
}

/**
 * Replaces each entry whose uses all follow a space with the one that includes the space, if that
 * saves no less. Only some tokenizers encode a space and a term as one token; nearly all do so for
 * a term alone.
 */
export function takeSpaces({ kinds }: Units, set: CandidateSet, selection: Selection): Selection {
  const occurrences = selection.occurrences.slice()
  const gross = new Map(selection.gross)
  let { value } = selection
  for (const [candidate, uses] of groupByCandidate(set, occurrences)) {
    const wider = uses.map((at) => findWithSpace(kinds, set, occurrences, at))
    const [first] = wider
    if (first === undefined || wider.includes(undefined)) continue
    const other = set.occurrenceCandidate[first]!
    if (gross.has(other)) continue
    const saved = wider.reduce<number>(
      (sum, occurrence, index) => sum + countGain(set, occurrences, uses[index]!, occurrence!),
      0,
    )
    const gain = saved + set.cost[candidate]! - set.cost[other]!
    if (gain < 0) continue
    value += gain
    gross.set(other, gross.get(candidate)! + saved)
    gross.delete(candidate)
    for (const [index, at] of uses.entries()) occurrences[at] = wider[index]!
  }
  return { value, occurrences, gross }
}

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

/**
 * Finds the occurrence that adds the preceding space to the one at index `at`, if that space is
 * free.
 */
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

/**
 * Counts the tokens that `occurrence` saves beyond the one at index `at`, which ends at the same
 * boundary.
 */
function countGain(set: CandidateSet, occurrences: Int32Array, at: number, occurrence: number): number {
  const begin = set.occurrenceStart[occurrence]!
  const touches = at > 0 && set.occurrenceEnd[occurrences[at - 1]!]! === begin
  const saved = set.occurrenceSaved[occurrence]! - set.occurrenceSaved[occurrences[at]!]!
  return touches ? saved + set.adjacencyGain[begin]! : saved
}
