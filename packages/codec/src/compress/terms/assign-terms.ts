import { readCandidateText, type CandidateSet } from '../candidates/candidate-set.ts'
import type { Selection } from '../selection/prune-entries.ts'
import { CharKind, type Units } from '../text/lex-units.ts'
import type { TermLetter } from './letter-table.ts'

export interface TermOptions {
  readonly units: Units
  readonly set: CandidateSet
  readonly pins: ReadonlyMap<number, string>
  readonly letters: readonly TermLetter[]
}

export interface CandidateUsage {
  readonly candidate: number
  readonly phrase: string
  readonly count: number
  /** Occurrences after a space that stays. */
  readonly afterSpace: number
}

/** Gives candidates terms that the text does not contain, as long as there are some. */
export function assignTerms(options: TermOptions, { occurrences, gross }: Selection): Map<number, string> {
  const { pins, letters } = options
  const pinned = [...pins].filter(([candidate]) => gross.has(candidate))
  const unpinned = countUsages(options, occurrences).filter(({ candidate }) => !pins.has(candidate))
  const reserved = [...pins.values()]
  const free = letters.filter(({ term }) => !reserved.some((pin) => pin.includes(term)))
  return new Map([...pinned, ...assignLetters(unpinned, free)])
}

function countUsages(options: TermOptions, occurrences: Int32Array): CandidateUsage[] {
  const { kinds } = options.units
  const usages = new Map<number, { -readonly [Key in keyof CandidateUsage]: CandidateUsage[Key] }>()
  for (const occurrence of occurrences) {
    const candidate = options.set.occurrenceCandidate[occurrence]!
    const phrase = usages.get(candidate)?.phrase ?? readCandidateText(options, candidate)
    const usage = usages.get(candidate) ?? { candidate, phrase, count: 0, afterSpace: 0 }
    const begin = options.set.occurrenceStart[occurrence]!
    usage.count++
    if (begin > 0 && kinds[begin - 1] === CharKind.space) usage.afterSpace++
    usages.set(candidate, usage)
  }
  return [...usages.values()]
}

/**
 * Assigns each candidate a letter. Letters that form one token with a space before them go to the
 * candidates that most often follow a space. Within both groups, the most used candidates get the
 * cheapest letters; among letters of one price the phrase decides, so that an edit of the text
 * leaves the terms of other phrases as they are.
 * @param free Unused letters.
 */
export function assignLetters(
  candidates: readonly CandidateUsage[],
  free: readonly TermLetter[],
): Map<number, string> {
  const merging = free.filter((letter) => letter.mergesWithSpace)
  const spaced = candidates
    .filter(({ afterSpace }) => afterSpace > 0)
    .toSorted((a, b) => b.afterSpace - a.afterSpace || byCount(a, b))
    .slice(0, merging.length)
  const terms = chooseLetters(spaced, merging, ({ spacedCost }) => spacedCost)
  const taken = new Set(terms.values())
  const unused = free.filter(({ term }) => !taken.has(term))
  const others = candidates.filter(({ candidate }) => !terms.has(candidate))
  return new Map([...terms, ...chooseLetters(others, unused, ({ bareCost }) => bareCost)])
}

/**
 * Chooses a letter for each candidate: the cheapest letters for the most used ones, and of each
 * price the one with the highest hash of phrase and letter that is left (rendezvous hashing: D. G.
 * Thaler, C. V. Ravishankar, 1998).
 */
function chooseLetters(
  candidates: readonly CandidateUsage[],
  letters: readonly TermLetter[],
  priceOf: (letter: TermLetter) => number,
): Map<number, string> {
  const terms = new Map<number, string>()
  const hashed = candidates
    .toSorted(byCount)
    .map((usage) => ({ ...usage, hash: hashText(usage.phrase.trim()) }))
  let first = 0
  const prices = letters.map(priceOf)
  for (const price of [...new Set(prices)].toSorted((a, b) => a - b)) {
    const tier = letters.filter((_, index) => prices[index] === price)
    const part = hashed.slice(first, first + tier.length)
    first += part.length
    const left = new Set(tier.map(({ term }) => term))
    for (const { candidate, hash } of part.toSorted((a, b) => a.hash - b.hash || byCount(a, b))) {
      let chosen = ''
      let highest = -1
      for (const term of left) {
        const score = mixBits(hash ^ Math.imul(term.charCodeAt(0), 0x9e3779b1))
        if (score > highest) [chosen, highest] = [term, score]
      }
      left.delete(chosen)
      terms.set(candidate, chosen)
    }
  }
  return terms
}

/** FNV-1a, 32 bits. */
function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return mixBits(hash)
}

function mixBits(value: number): number {
  const half = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  return (half ^ (half >>> 13)) >>> 0
}

function byCount(a: CandidateUsage, b: CandidateUsage): number {
  return b.count - a.count || a.candidate - b.candidate
}

/** Takes entries that include the space where all uses follow one and that saves no less. */
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

/** Finds the occurrence that adds the preceding space to one, if that space is free. */
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

/** Tokens that `occurrence` saves beyond the one at index `at`, which ends at the same boundary. */
function countGain(set: CandidateSet, occurrences: Int32Array, at: number, occurrence: number): number {
  const begin = set.occurrenceStart[occurrence]!
  const touches = at > 0 && set.occurrenceEnd[occurrences[at - 1]!]! === begin
  const saved = set.occurrenceSaved[occurrence]! - set.occurrenceSaved[occurrences[at]!]!
  return touches ? saved + set.adjacencyGain[begin]! : saved
}
