import type { Tokenizer } from '../tokens/types.ts'
import type { PhraseUse, SymbolClaim } from './assign-symbols.ts'
import type { TermSymbol } from './list-symbols.ts'
import { findPlainSymbol, listMergers, type TermPlace } from './symbol-merges.ts'

/** What symbols are weighed by. */
export interface ClaimOptions {
  readonly tokenizer: Tokenizer
  /** Counts short strings. */
  readonly tally: (text: string) => number
}

/** Lists the symbols of `free` that bring a phrase more than a plain one that takes a space, counted in the places of its uses. */
export function claimSymbols(
  uses: readonly PhraseUse[],
  free: readonly TermSymbol[],
  { tokenizer, tally }: ClaimOptions,
): SymbolClaim[] {
  const plain = findPlainSymbol(tokenizer)
  const isFree = new Set(free)
  const cheap = free.filter(({ isCheap }) => isCheap)
  const savings = new Map<TermPlace, readonly (readonly [TermSymbol, number])[]>()
  const savingsAt = (place: TermPlace): readonly (readonly [TermSymbol, number])[] => {
    let known = savings.get(place)
    if (known) return known
    const { left, right } = place
    const cost = tally(left + plain + right)
    const mergers = [...listMergers(tokenizer, place)].filter((symbol) => isFree.has(symbol))
    known = mergers.map((symbol) => [symbol, cost - tally(left + symbol.term + right) - lossAt(symbol, left)])
    savings.set(place, known)
    return known
  }
  return uses.flatMap((use) => {
    const gains = new Map<TermSymbol, number>(cheap.map((symbol) => [symbol, 0]))
    for (const [place, count] of use.places) {
      for (const [symbol, saved] of savingsAt(place))
        gains.set(symbol, (gains.get(symbol) ?? 0) + saved * count)
    }
    return [...gains].flatMap(([symbol, saved]) => {
      const gain = saved + (symbol.isCheap ? 1 : 0) - (symbol.takesSpace ? 0 : use.spaces)
      return gain > 0 ? [{ use, symbol, gain }] : []
    })
  })
}

/** Minus the token that a symbol not taking a space costs behind one: all such places are charged together. */
function lossAt({ takesSpace }: TermSymbol, left: string): number {
  return !takesSpace && left.endsWith(' ') ? -1 : 0
}
