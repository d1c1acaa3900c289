import { type PhraseUse, claimSymbols, type ClaimOptions, type SymbolClaim } from './claim-symbols.ts'
import { CharKind } from '../text/char-kind.ts'
import { makeAcronyms } from './make-acronyms.ts'
import type { SchemePlan } from '../schemes.ts'
import { textOf } from '../candidates/build-phrase-set.ts'
import type { PhraseSet } from '../candidates/phrase-set.ts'
import type { Units } from '../text/lex-units.ts'
import { type TermSymbol, describePlace, type TermPlace } from './symbol-table.ts'
import type { Selection } from '../selection/settle-entries.ts'

/** The text whose phrases get terms, and the terms that it leaves free. */
export interface TermOptions extends ClaimOptions {
  readonly units: Units
  readonly set: PhraseSet
  readonly plan: SchemePlan
  /** Terms that the author fixed, by phrase. */
  readonly pins: ReadonlyMap<number, string>
  /** Free symbols, the most readable first. */
  readonly symbols: readonly TermSymbol[]
  readonly acronyms: readonly string[]
}

/** Gives each selected phrase a term of its own that the text does not hold; phrases for which none is left are missing. */
export function giveTerms(options: TermOptions, { slots, gross }: Selection): Map<number, string> {
  const { pins, plan, symbols, acronyms } = options
  const open = countUses(options, slots).filter(({ phrase }) => !pins.has(phrase))
  const pinned = [...pins].filter(([phrase]) => gross.has(phrase))
  const reserved = new Set(pins.values())
  if (plan.readable) {
    const taken = new Set(Array.from(reserved, (pin) => pin.toUpperCase()))
    const free = acronyms.filter((acronym) => !taken.has(acronym))
    const given = makeAcronyms(phraseTexts(options, open), free)
    return new Map([...pinned, ...given])
  }
  const free = symbols.filter(({ term }) => ![...reserved].some((pin) => pin.includes(term)))
  return new Map([...pinned, ...assignSymbols(open, free, claimSymbols(open, free, options))])
}

function phraseTexts(options: TermOptions, uses: readonly PhraseUse[]): Map<number, string> {
  const order = uses.toSorted((a, b) => b.uses - a.uses || a.phrase - b.phrase)
  return new Map(order.map(({ phrase }) => [phrase, textOf(options, phrase)]))
}

function countUses({ set, units }: TermOptions, slots: Int32Array): PhraseUse[] {
  const { text, starts, kinds } = units
  const uses = new Map<
    number,
    { phrase: number; uses: number; spaces: number; places: Map<TermPlace, number> }
  >()
  const places = new Map<string, TermPlace>()
  for (const [at, slot] of slots.entries()) {
    const phrase = set.slotPhrase[slot]!
    const use = uses.get(phrase) ?? { phrase, uses: 0, spaces: 0, places: new Map() }
    const begin = set.slotStart[slot]!
    use.uses++
    if (begin > 0 && kinds[begin - 1] === CharKind.space) use.spaces++
    const from = at > 0 ? starts[set.slotEnd[slots[at - 1]!]!]! : 0
    const to = at + 1 < slots.length ? starts[set.slotStart[slots[at + 1]!]!]! : text.length
    const found = describePlace(text, starts[begin]!, starts[set.slotEnd[slot]!]!, from, to)
    const key = `${found.left}\0${found.right}`
    const place = places.get(key) ?? found
    places.set(key, place)
    use.places.set(place, (use.places.get(place) ?? 0) + 1)
    uses.set(phrase, use)
  }
  return [...uses.values()]
}

/**
 * Gives each phrase a symbol so that many merges save a token; of equal ones the most used phrase gets the most readable
 * symbol. A phrase is left out where no symbol is left.
 *
 * Symbols that merge with more than a space are few: the best claims are met first, then holders trade while that gains.
 *
 * @param free Symbols to give, the most readable first.
 * @param claims Those that gain anything.
 */
export function assignSymbols(
  phrases: readonly PhraseUse[],
  free: readonly TermSymbol[],
  claims: readonly SymbolClaim[],
): Map<number, string> {
  const held = tradeSymbols(claims)
  const terms = new Map([...held].map(([phrase, { term }]) => [phrase, term]))
  const taken = new Set(terms.values())
  givePlain(
    phrases.filter(({ phrase }) => !terms.has(phrase)),
    free.filter(({ term }) => !taken.has(term)),
    terms,
  )
  return terms
}

/** A phrase in the trade: its claims, the best first, and the one that is met. */
interface Trader {
  readonly phrase: number
  readonly claims: SymbolClaim[]
  held: SymbolClaim | undefined
}

/** Meets claims, the largest first, then lets each phrase move to a free symbol or trade with its holder if that gains. */
function tradeSymbols(claims: readonly SymbolClaim[]): Map<number, TermSymbol> {
  const ranked = rankClaims(claims)
  const traders = new Map<number, Trader>()
  const holders = new Map<TermSymbol, Trader>()
  for (const claim of ranked) {
    const { phrase } = claim.use
    let trader = traders.get(phrase)
    if (trader === undefined) traders.set(phrase, (trader = { phrase, claims: [], held: undefined }))
    trader.claims.push(claim)
    if (trader.held === undefined && !holders.has(claim.symbol)) meetClaim(trader, claim, holders)
  }
  for (const claim of ranked) {
    const trader = traders.get(claim.use.phrase)!
    const mine = trader.held
    if (mine?.symbol === claim.symbol) continue
    const holder = holders.get(claim.symbol)
    const lost = gainOf(mine) + gainOf(holder?.held)
    if (claim.gain + gainOf(holder?.claims[0]) <= lost) continue
    const left = holder && findInstead(holder, mine?.symbol, holders)
    if (claim.gain + gainOf(left) <= lost) continue
    if (mine !== undefined) holders.delete(mine.symbol)
    if (holder !== undefined) meetClaim(holder, left, holders)
    meetClaim(trader, claim, holders)
  }
  return new Map(
    Array.from(traders.values()).flatMap(({ phrase, held }) => (held ? [[phrase, held.symbol]] : [])),
  )
}

/** The largest first, of equal ones those of the first phrase; sorted by parts, since gains are few. */
function rankClaims(claims: readonly SymbolClaim[]): SymbolClaim[] {
  const groups = new Map<number, SymbolClaim[]>()
  for (const claim of claims) {
    const group = groups.get(claim.gain)
    if (group) group.push(claim)
    else groups.set(claim.gain, [claim])
  }
  const order = [...groups].sort((a, b) => b[0] - a[0])
  return order.flatMap(([, group]) => group.sort((a, b) => a.use.phrase - b.use.phrase))
}

function meetClaim(trader: Trader, claim: SymbolClaim | undefined, holders: Map<TermSymbol, Trader>): void {
  trader.held = claim
  if (claim !== undefined) holders.set(claim.symbol, trader)
}

/** The best claim of a phrase that gives its symbol away: to the one offered, or to a free one. */
function findInstead(
  { claims }: Trader,
  offered: TermSymbol | undefined,
  holders: ReadonlyMap<TermSymbol, Trader>,
): SymbolClaim | undefined {
  return claims.find(({ symbol }) => symbol === offered || !holders.has(symbol))
}

function gainOf(claim: SymbolClaim | undefined): number {
  return claim?.gain ?? 0
}

/** Gives symbols that take a space to the phrases most often behind one. */
function givePlain(
  phrases: readonly PhraseUse[],
  free: readonly TermSymbol[],
  terms: Map<number, string>,
): void {
  const takers = free.filter((symbol) => symbol.takesSpace)
  const order = phrases.toSorted((a, b) => b.spaces - a.spaces || byUses(a, b))
  const needy = order.filter((use, place) => use.spaces > 0 && place < takers.length).toSorted(byUses)
  for (const [place, { phrase }] of needy.entries()) terms.set(phrase, takers[place]!.term)
  const left = [...free.filter((symbol) => !symbol.takesSpace), ...takers.slice(needy.length)]
  const rest = phrases.filter(({ phrase }) => !terms.has(phrase)).toSorted(byUses)
  for (const [place, { phrase }] of rest.entries()) if (left[place]) terms.set(phrase, left[place].term)
}

function byUses(a: PhraseUse, b: PhraseUse): number {
  return b.uses - a.uses || a.phrase - b.phrase
}
