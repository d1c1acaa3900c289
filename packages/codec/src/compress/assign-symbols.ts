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

const MAX_ROUNDS = 1

/** Meets claims, the largest first, then lets each phrase move to a free symbol or trade with its holder while that gains. */
function tradeSymbols(claims: readonly SymbolClaim[]): Map<number, TermSymbol> {
  const ranked = claims.toSorted((a, b) => b.gain - a.gain || a.use.phrase - b.use.phrase)
  const gains = new Map<number, Map<TermSymbol, number>>()
  const held = new Map<number, TermSymbol>()
  const holders = new Map<TermSymbol, number>()
  for (const { use, symbol, gain } of ranked) {
    const own = gains.get(use.phrase)
    if (own) own.set(symbol, gain)
    else gains.set(use.phrase, new Map([[symbol, gain]]))
    if (held.has(use.phrase) || holders.has(symbol)) continue
    held.set(use.phrase, symbol)
    holders.set(symbol, use.phrase)
  }
  const gainOf = (phrase: number, symbol: TermSymbol | undefined): number =>
    symbol === undefined ? 0 : (gains.get(phrase)!.get(symbol) ?? -Infinity)
  const give = (phrase: number, symbol: TermSymbol | undefined): void => {
    if (symbol === undefined) held.delete(phrase)
    else {
      held.set(phrase, symbol)
      holders.set(symbol, phrase)
    }
  }
  for (let round = 0, moved = true; moved && round < MAX_ROUNDS; round++) {
    moved = false
    for (const { use, symbol, gain } of ranked) {
      const { phrase } = use
      const mine = held.get(phrase)
      if (mine === symbol) continue
      const holder = holders.get(symbol)
      const lost = gainOf(phrase, mine) + (holder === undefined ? 0 : gainOf(holder, symbol))
      const left = holder === undefined ? undefined : chooseInstead(holder, mine)
      if (gain + (holder === undefined ? 0 : gainOf(holder, left)) <= lost) continue
      if (mine !== undefined) holders.delete(mine)
      if (holder !== undefined) give(holder, left)
      give(phrase, symbol)
      moved = true
    }
  }
  return held

  /** What is best for a phrase that gives its symbol away: the one offered, a free one, or none. */
  function chooseInstead(phrase: number, offered: TermSymbol | undefined): TermSymbol | undefined {
    let best: TermSymbol | undefined
    for (const symbol of gains.get(phrase)!.keys()) {
      if (symbol !== offered && holders.has(symbol)) continue
      if (gainOf(phrase, symbol) > gainOf(phrase, best)) best = symbol
    }
    return best
  }
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
