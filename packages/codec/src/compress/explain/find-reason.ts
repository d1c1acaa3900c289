import type { Encoding } from '../encode-text.ts'
import { createOccurrenceGuard, mapOccupiedUnits, sumSavings, type SavingSum } from './guard-occurrences.ts'
import type { PositionGuard, Rejection, RejectionReason } from './rejection.ts'
import { readCandidateText } from '../candidates/build-candidate-set.ts'
import type { PreparedText } from '../prepare-text.ts'
import { STOP_WORD_FLOOR, FLOOR, TextReadability } from '../candidates/readability.ts'
import { isNumber, isPunctuation, createOccurrenceRule, type FloorOf } from '../candidates/candidate-rules.ts'
import { findCandidates } from '../candidates/find-candidates.ts'
import type { FoundCandidates } from '../candidates/candidate-set.ts'
import { HeaderCosts } from '../cost/header-costs.ts'
import { CharKind } from '../text/char-kind.ts'
import { lexUnits, type Units } from '../text/lex-units.ts'

/** A repeated phrase, with the first units of all its positions, ascending. */
export interface Candidate {
  readonly phrase: string
  readonly begin: number
  readonly length: number
  readonly header: number
  readonly positions: Int32Array
}

/** Returns why a phrase is not an entry; undefined if the reason would not help a reader. */
export type ReasonFinder = (candidate: Candidate) => Rejection | undefined

/**
 * Creates a function that finds reasons. It checks the phrase's readability, then its savings at
 * unprotected positions, then the entries that compete for them.
 *
 * @param isUsed Whether the encoding was used. If not, its entries did not pay for the marker.
 */
export function createReasonFinder(
  prepared: PreparedText,
  encoding: Encoding,
  candidates: UnfilteredCandidates,
  isUsed: boolean,
): ReasonFinder {
  const { plan, boundaries, glossary, candidateOfRule } = prepared
  const { units } = candidates
  const guardOccurrence = createOccurrenceGuard(prepared, createOccurrenceRule(units, plan.readable))
  const occupants = mapOccupiedUnits(prepared, encoding.selection.occurrences)
  const judgeCompetition = createCompetitionJudge(prepared, encoding, occupants)
  const readability = readText(units, prepared)
  const named = new Set(Array.from(candidateOfRule.keys(), (rule) => glossary[rule]!.expansion))

  return (candidate) => {
    const { phrase, begin, length, header, positions } = candidate
    if (isUsed && isReplacedWhole(candidate)) return undefined
    const obeys = plan.readable && !named.has(phrase)
    const free: number[] = []
    const guards = new Map<PositionGuard, number>()
    for (const position of positions) {
      if (boundaries.ends[position + length]! <= boundaries.begins[position]!) continue
      const guard = guardOccurrence(position, position + length)
      if (guard === undefined) free.push(position)
      else guards.set(guard, (guards.get(guard) ?? 0) + 1)
    }
    const everywhere = sumSavings(prepared, Array.from(positions), length)
    if (everywhere.uses < 2) return undefined
    const reject = (sum: SavingSum, reason: RejectionReason): Rejection => {
      return { phrase, ...sum, header, net: sum.gross - header, reason }
    }
    const pays = everywhere.gross > header
    if (obeys) {
      const broken = readability.findBrokenRule(begin, begin + length)
      if (broken === 'R5' && (!pays || countWords(begin, length) < 2 || isBetterTrimmed(candidate)))
        return undefined
      if (broken !== undefined && pays) return reject(everywhere, { code: 'readability', rule: broken })
    }
    if (!pays) return reject(everywhere, { code: 'does_not_pay' })
    const end = begin + length
    const isBare = isNumber(units, begin, end) || isPunctuation(units, begin, end)
    if (!plan.readable && !named.has(phrase) && isBare) return reject(everywhere, { code: 'number' })
    const startsWithStopWord = obeys && readability.startsWithStopWord(begin)
    const needed = obeys ? (startsWithStopWord ? STOP_WORD_FLOOR : FLOOR) : 1
    const alone = sumSavings(prepared, free, length)
    const net = alone.gross - header
    if (net >= needed) {
      const reason: RejectionReason = isUsed ? judgeCompetition(candidate, free, needed) : { code: 'marker' }
      return reject(alone, reason)
    }
    if (everywhere.gross - header >= needed) {
      const reason = nameGuard(guards, obeys && phrase.includes('|'))
      const isBareStructure = reason.code === 'protected' && reason.by === 'structure'
      return isBareStructure && countWords(begin, length) === 0 ? undefined : reject(everywhere, reason)
    }
    if (net <= 0) return reject(alone, { code: 'does_not_pay' })
    return reject(
      alone,
      net >= FLOOR ? { code: 'readability', rule: 'R2' } : { code: 'floor', needed: FLOOR },
    )
  }

  function isReplacedWhole({ positions, length }: Candidate): boolean {
    return positions.every(
      (position) => occupants[position]! >= 0 && occupants[position] === occupants[position + length - 1],
    )
  }

  function countWords(begin: number, length: number): number {
    let words = 0
    for (let unit = begin; unit < begin + length; unit++) if (isWord(units, unit)) words++
    return words
  }

  /** Whether the phrase pays without the characters or stop words that {@link trim} cuts. */
  function isBetterTrimmed({ begin, length, positions }: Candidate): boolean {
    const { from, to } = trim(units, readability, begin, begin + length)
    if (from === to) return false
    const moved = Array.from(positions, (position) => position + from - begin)
    return sumSavings(prepared, moved, to - from).gross > candidates.headerCosts.count(from, to)
  }
}

/**
 * Cuts spaces and punctuation from both ends of a phrase or, if there are none, stop words from its
 * end.
 */
function trim(
  units: Units,
  readability: TextReadability,
  begin: number,
  end: number,
): { readonly from: number; readonly to: number } {
  let [from, to] = [begin, end]
  while (from < to && !isWord(units, from)) from++
  while (from < to && !isWord(units, to - 1)) to--
  if (from > begin || to < end) return { from, to }
  while (from < to && (!isWord(units, to - 1) || readability.startsWithStopWord(to - 1))) to--
  return { from, to }
}

function readText(units: Units, { boundaries, acronyms }: PreparedText): TextReadability {
  return new TextReadability(units, boundaries, (phrase) => acronyms?.has(phrase) ?? true)
}

function isWord({ kinds }: Units, unit: number): boolean {
  return (kinds[unit]! & CharKind.word) !== 0
}

function nameGuard(guards: ReadonlyMap<PositionGuard, number>, mayCrossCells: boolean): RejectionReason {
  const [[guard, count] = ['seam', 0] as const] = [...guards].toSorted((a, b) => b[1] - a[1])
  if (guard === 'structure' && mayCrossCells) return { code: 'readability', rule: 'R8' }
  return { code: 'protected', by: guard, places: count }
}

/**
 * Creates a function that explains why phrases that pay alone were rejected: other entries compete
 * with them, or no term was left.
 */
function createCompetitionJudge(
  prepared: PreparedText,
  { terms, banned, withoutTerm }: Encoding,
  occupants: Int32Array,
): (candidate: Candidate, free: readonly number[], needed: number) => RejectionReason {
  const { set, plan, letters, pins, candidateOfRule } = prepared
  // Acronyms must not touch each other.
  const reach = plan.readable ? 1 : 0
  const pinned = [...candidateOfRule].filter(([, candidate]) => pins.has(candidate))

  return ({ phrase, length, header }, free, needed) => {
    const pin = pinned.find(([, other]) => phrase.includes(readCandidateText(prepared, other)))
    if (pin !== undefined) return { code: 'pinned', rule: pin[0] }
    const left = free.filter((position) => listCompetitors(position, position + length, reach).size === 0)
    let lacksTerm = false
    const pays = (positions: readonly number[]): boolean =>
      sumSavings(prepared, positions, length, occupants).gross >= header + needed
    if (pays(left)) {
      const open = left.filter((position) => {
        const occurrence = findOccurrence(position, position + length)
        if (occurrence >= 0 && withoutTerm.has(set.occurrenceCandidate[occurrence]!)) lacksTerm = true
        return occurrence < 0 || banned[occurrence] === 0
      })
      if (lacksTerm || (!plan.readable && terms.size >= letters.length)) return { code: 'no_term_left' }
      return pays(open) ? { code: 'missed' } : { code: 'withdrawn' }
    }
    const taken = free.length - left.length
    const counts = new Map<number, number>()
    for (const position of free) {
      for (const competitor of listCompetitors(position, position + length, taken > 0 ? reach : 1))
        counts.set(competitor, (counts.get(competitor) ?? 0) + 1)
    }
    const [[winner] = [-1]] = [...counts].toSorted((a, b) => b[1] - a[1])
    if (winner < 0) return { code: 'missed' }
    return {
      code: 'overlaps',
      winner: { term: terms.get(winner)!, expansion: readCandidateText(prepared, winner) },
      taken,
    }
  }

  /** Lists the entries that occupy a range, or are within `around` units of it. */
  function listCompetitors(begin: number, end: number, around: number): Set<number> {
    const competitors = new Set<number>()
    const last = Math.min(end + around, occupants.length)
    for (let unit = Math.max(0, begin - around); unit < last; unit++)
      if (occupants[unit]! >= 0) competitors.add(set.occurrenceCandidate[occupants[unit]!]!)
    return competitors
  }

  function findOccurrence(begin: number, end: number): number {
    for (let occurrence = set.firstByEnd[end]!; occurrence < set.firstByEnd[end + 1]!; occurrence++)
      if (set.occurrenceStart[occurrence] === begin) return occurrence
    return -1
  }
}

/** The repeated phrases of a text, regardless of protection and rules. */
export interface UnfilteredCandidates {
  /** The units of the text, with the same boundaries but none blocked. */
  readonly units: Units
  readonly headerCosts: HeaderCosts
  readonly source: FoundCandidates
  /** Candidates by the most they could save, descending. */
  readonly order: Int32Array
}

/** Accepts even phrases that are up to two tokens short of paying. */
const NEARLY_PAYING: FloorOf = () => -2

/** Finds all repeated phrases that pay or nearly pay. */
export function findUnfilteredCandidates(prepared: PreparedText): UnfilteredCandidates {
  const { plan, boundaries, tokenizer, countCached } = prepared
  const { text } = prepared.units
  const pieces = tokenizer.splitPieces(text)
  const newlines = !plan.keepsLines
  const units = lexUnits(text, new Int32Array(0), newlines, plan.readable ? undefined : pieces.ends)
  const headerCosts = new HeaderCosts(units, { tokenizer, pieces, countCached, newlines })
  const costs = { units, boundaries, headerCosts, floorOf: NEARLY_PAYING }
  const source = findCandidates(newlines ? 'most' : 'all', costs)
  const { maxNet } = source
  const order = Int32Array.from(maxNet.keys()).sort((a, b) => maxNet[b]! - maxNet[a]! || a - b)
  return { units, headerCosts, source, order }
}
