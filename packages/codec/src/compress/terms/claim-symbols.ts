import type { Tokenizer } from '../../tokens/types.ts'
import { listSymbols, type TermSymbol, findPlainSymbol, listMergers, type TermPlace } from './symbol-table.ts'

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
  const symbols = listSymbols(tokenizer)
  const numbers = numberSymbols(tokenizer)
  const isFree = new Uint8Array(symbols.length)
  for (const symbol of free) isFree[numbers.get(symbol)!] = 1
  const cheap = free.filter(({ isCheap }) => isCheap).map((symbol) => numbers.get(symbol)!)
  const savings = new Map<TermPlace, PlaceSavings>()
  const gains = new Int32Array(symbols.length)
  const isSeen = new Uint8Array(symbols.length)
  const claims: SymbolClaim[] = []
  for (const use of uses) {
    const seen = [...cheap]
    for (const number of cheap) isSeen[number] = 1
    for (const [place, count] of use.places) {
      let found = savings.get(place)
      if (found === undefined) savings.set(place, (found = savingsAt(place, tokenizer, tally)))
      for (let at = 0; at < found.length; at += 2) {
        const number = found[at]!
        if (isFree[number] === 0) continue
        if (isSeen[number] === 0) seen.push(number)
        isSeen[number] = 1
        gains[number]! += found[at + 1]! * count
      }
    }
    for (const number of seen) {
      const symbol = symbols[number]!
      const gain = gains[number]! + (symbol.isCheap ? 1 : 0) - (symbol.takesSpace ? 0 : use.spaces)
      if (gain > 0) claims.push({ use, symbol, gain })
      gains[number] = 0
      isSeen[number] = 0
    }
  }
  return claims
}

/** Numbers of the symbols that may merge in a place, as in `listSymbols`, each followed by the tokens it saves there. */
type PlaceSavings = Int32Array

/** What symbols save in a place; remembered for texts to come, since places are much alike. */
function savingsAt(place: TermPlace, tokenizer: Tokenizer, tally: (text: string) => number): PlaceSavings {
  let known = KNOWN_SAVINGS.get(tokenizer)
  if (known === undefined) KNOWN_SAVINGS.set(tokenizer, (known = new Map<string, PlaceSavings>()))
  const { left, right } = place
  const key = `${left}\0${right}`
  const found = known.get(key)
  if (found) return found
  const numbers = numberSymbols(tokenizer)
  const cost = tally(left + findPlainSymbol(tokenizer) + right)
  const savings = Int32Array.from(
    [...listMergers(tokenizer, place)].flatMap((symbol) => [
      numbers.get(symbol)!,
      cost - tally(left + symbol.term + right) - lossAt(symbol, left),
    ]),
  )
  if (known.size >= MOST_PLACES) known.clear()
  known.set(key, savings)
  return savings
}

const MOST_PLACES = 1 << 12
const KNOWN_SAVINGS = new WeakMap<Tokenizer, Map<string, PlaceSavings>>()

function numberSymbols(tokenizer: Tokenizer): ReadonlyMap<TermSymbol, number> {
  let numbers = KNOWN_NUMBERS.get(tokenizer)
  if (numbers === undefined) {
    numbers = new Map(listSymbols(tokenizer).map((symbol, number) => [symbol, number]))
    KNOWN_NUMBERS.set(tokenizer, numbers)
  }
  return numbers
}

const KNOWN_NUMBERS = new WeakMap<Tokenizer, ReadonlyMap<TermSymbol, number>>()

/** Minus the token that a symbol not taking a space costs behind one: all such places are charged together. */
function lossAt({ takesSpace }: TermSymbol, left: string): number {
  return !takesSpace && left.endsWith(' ') ? -1 : 0
}
