import type { Encoding } from '../encode-text.ts'
import { createPlaceJudge, mapTakenUnits, sumUses, type UseSum } from './explain-places.ts'
import type { PlaceGuard, Rejection, RejectionReason } from './rejection.ts'
import { textOf } from '../candidates/build-phrase-set.ts'
import type { PreparedText } from '../prepare-text.ts'
import { CLEARLY, FLOOR, TextReadability } from '../candidates/readability.ts'
import { NeighbourRule, type PhraseRule } from '../candidates/candidate-rules.ts'
import { findPhrases } from '../candidates/find-phrases.ts'
import type { FoundPhrases } from '../candidates/phrase-set.ts'
import { HeaderCosts } from '../cost/header-cost.ts'
import { indexRepeats } from '../candidates/index-repeats.ts'
import { lexUnits, type Units } from '../text/lex-units.ts'

/** A repeated phrase, with the first units of all its places, rising. */
export interface Candidate {
  readonly phrase: string
  readonly begin: number
  readonly length: number
  readonly header: number
  readonly places: Int32Array
}

/** Why a phrase is no entry; nothing where there is nothing to learn from it. */
export type ReasonFinder = (candidate: Candidate) => Rejection | undefined

/**
 * Creates the finder of reasons, which asks in this order: how the phrase reads, what its free places save, what else
 * takes those places.
 *
 * @param isUsed Whether the encoding was taken; else its entries did not pay for the marker.
 */
export function createReasonFinder(
  prepared: PreparedText,
  encoding: Encoding,
  candidates: Candidates,
  isUsed: boolean,
): ReasonFinder {
  const { plan, edges, glossary, phraseOfRule } = prepared
  const { units } = candidates
  const judgePlace = createPlaceJudge(prepared, new NeighbourRule(units, plan.readable))
  const takers = mapTakenUnits(prepared, encoding.selection.slots)
  const judgeCompetition = createCompetition(prepared, encoding, takers)
  const readability = new TextReadability(units, edges)
  const named = new Set(Array.from(phraseOfRule.keys(), (rule) => glossary[rule]!.expansion))

  return (candidate) => {
    const { phrase, begin, length, header, places } = candidate
    if (isUsed && isReplacedWhole(candidate)) return undefined
    const obeys = plan.readable && !named.has(phrase)
    const free: number[] = []
    const guards = new Map<PlaceGuard | 'R4', number>()
    for (const place of places) {
      if (edges.ends[place + length]! <= edges.begins[place]!) continue
      const guard = judgePlace(place, place + length)
      if (guard === undefined) free.push(place)
      else guards.set(guard, (guards.get(guard) ?? 0) + 1)
    }
    const everywhere = sumUses(prepared, Array.from(places), length)
    if (everywhere.uses < 2) return undefined
    const reject = (sum: UseSum, reason: RejectionReason): Rejection => {
      return { phrase, ...sum, header, net: sum.gross - header, reason }
    }
    const pays = everywhere.gross > header
    if (obeys) {
      const broken = readability.findBroken(begin, begin + length)
      if (broken === 'R5' && (!pays || countWords(begin, length) < 2 || isBetterTrimmed(candidate)))
        return undefined
      if (broken !== undefined && pays) return reject(everywhere, { code: 'readability', rule: broken })
    }
    if (!pays) return reject(everywhere, { code: 'does_not_pay' })
    const hasStopEdge = obeys && readability.hasStopEdge(begin, begin + length)
    const needed = obeys ? (hasStopEdge ? CLEARLY : FLOOR) : 1
    const alone = sumUses(prepared, free, length)
    const net = alone.gross - header
    if (net >= needed) {
      const reason: RejectionReason = isUsed ? judgeCompetition(candidate, free, needed) : { code: 'marker' }
      return reject(alone, reason)
    }
    if (everywhere.gross - header >= needed) {
      const reason = blameGuards(guards, obeys && phrase.includes('|'))
      const isBareStructure = reason.code === 'protected' && reason.by === 'structure'
      return isBareStructure && countWords(begin, length) === 0 ? undefined : reject(everywhere, reason)
    }
    if (net <= 0) return reject(alone, { code: 'does_not_pay' })
    return reject(
      alone,
      net >= FLOOR ? { code: 'readability', rule: 'R2' } : { code: 'floor', needed: FLOOR },
    )
  }

  /** Is every place part of one use of a longer phrase. */
  function isReplacedWhole({ places, length }: Candidate): boolean {
    return places.every((place) => takers[place]! >= 0 && takers[place] === takers[place + length - 1])
  }

  function countWords(begin: number, length: number): number {
    let words = 0
    for (let unit = begin; unit < begin + length; unit++) if (readability.isWordLike(unit)) words++
    return words
  }

  /** Does the phrase save without the spaces and signs at its edges. */
  function isBetterTrimmed({ begin, length, places }: Candidate): boolean {
    let from = begin
    let to = begin + length
    while (from < to && !readability.isWordLike(from)) from++
    while (from < to && !readability.isWordLike(to - 1)) to--
    if (from === to) return false
    const moved = Array.from(places, (place) => place + from - begin)
    return sumUses(prepared, moved, to - from).gross > candidates.headerCosts.count(from, to)
  }
}

function blameGuards(
  guards: ReadonlyMap<PlaceGuard | 'R4', number>,
  mayCrossCells: boolean,
): RejectionReason {
  const [[guard, count] = ['seam', 0] as const] = [...guards].toSorted((a, b) => b[1] - a[1])
  if (guard === 'R4') return { code: 'readability', rule: 'R4' }
  if (guard === 'structure' && mayCrossCells) return { code: 'readability', rule: 'R8' }
  return { code: 'protected', by: guard, places: count }
}

/** Creates the judge of phrases that pay alone: what keeps them out is other entries, or the lack of a term. */
function createCompetition(
  prepared: PreparedText,
  { terms, banned, termless }: Encoding,
  takers: Int32Array,
): (candidate: Candidate, free: readonly number[], needed: number) => RejectionReason {
  const { set, plan, symbols, pins, phraseOfRule } = prepared
  // Acronyms must not touch each other.
  const reach = plan.readable ? 1 : 0
  const pinned = [...phraseOfRule].filter(([, phrase]) => pins.has(phrase))

  return ({ phrase, length, header }, free, needed) => {
    const pin = pinned.find(([, other]) => phrase.includes(textOf(prepared, other)))
    if (pin !== undefined) return { code: 'pinned', rule: pin[0] }
    const left = free.filter((place) => listRivals(place, place + length, reach).size === 0)
    let isTermless = false
    const pays = (places: readonly number[]): boolean =>
      sumUses(prepared, places, length, takers).gross >= header + needed
    if (pays(left)) {
      const open = left.filter((place) => {
        const slot = findSlot(place, place + length)
        if (slot >= 0 && termless.has(set.slotPhrase[slot]!)) isTermless = true
        return slot < 0 || banned[slot] === 0
      })
      if (isTermless || (!plan.readable && terms.size >= symbols.length)) return { code: 'no_term_left' }
      return pays(open) ? { code: 'missed' } : { code: 'withdrawn' }
    }
    const taken = free.length - left.length
    const counts = new Map<number, number>()
    for (const place of free) {
      for (const rival of listRivals(place, place + length, taken > 0 ? reach : 1))
        counts.set(rival, (counts.get(rival) ?? 0) + 1)
    }
    const [[winner] = [-1]] = [...counts].toSorted((a, b) => b[1] - a[1])
    if (winner < 0) return { code: 'missed' }
    return {
      code: 'overlaps',
      winner: { term: terms.get(winner)!, expansion: textOf(prepared, winner) },
      taken,
    }
  }

  /** Entries that take a place, or stand up to `around` units beside it. */
  function listRivals(begin: number, end: number, around: number): Set<number> {
    const rivals = new Set<number>()
    const last = Math.min(end + around, takers.length)
    for (let unit = Math.max(0, begin - around); unit < last; unit++)
      if (takers[unit]! >= 0) rivals.add(set.slotPhrase[takers[unit]!]!)
    return rivals
  }

  function findSlot(begin: number, end: number): number {
    for (let slot = set.firstByEnd[end]!; slot < set.firstByEnd[end + 1]!; slot++)
      if (set.slotStart[slot] === begin) return slot
    return -1
  }
}

/** Repeated phrases of a text as if nothing in it were protected and no rule held. */
export interface Candidates {
  /** As the text's own, but nothing is blocked; boundaries are the same. */
  readonly units: Units
  readonly headerCosts: HeaderCosts
  readonly source: FoundPhrases
  /** Phrases by what they would save at most, the best first. */
  readonly order: Int32Array
}

/** Phrases that fall short of paying by two tokens are candidates still. */
const NEARLY_PAYING: PhraseRule = { demand: () => -2 }

/** Finds all repeated phrases that nearly pay at least. */
export function findCandidates(prepared: PreparedText): Candidates {
  const { plan, edges, tokenizer, tally } = prepared
  const { text } = prepared.units
  const pieces = tokenizer.splitPieces(text)
  const newlines = !plan.keepsLines
  const units = lexUnits(text, new Int32Array(0), newlines, plan.readable ? undefined : pieces.ends)
  const headerCosts = new HeaderCosts(units, { tokenizer, pieces, tally, newlines })
  const costs = { units, edges, headerCosts, rule: NEARLY_PAYING }
  const source = findPhrases(indexRepeats(units, newlines ? 'most' : 'all'), costs)
  const { best } = source
  const order = Int32Array.from(best.keys()).sort((a, b) => best[b]! - best[a]! || a - b)
  return { units, headerCosts, source, order }
}
