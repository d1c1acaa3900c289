import type { TermSymbol } from './list-symbols.ts'
import type { TermPlace } from './symbol-merges.ts'

/** How often a phrase is used, in all and where. */
export interface PhraseUse {
  readonly phrase: number
  readonly uses: number
  /** Behind a space that stays. */
  readonly spaces: number
  readonly places: ReadonlyMap<TermPlace, number>
}

/** Tokens that a symbol saves a phrase beside a plain one that takes a space. */
export interface SymbolClaim {
  readonly use: PhraseUse
  readonly symbol: TermSymbol
  readonly gain: number
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
