import type { Tokenizer } from '../../tokens/types.ts'
import {
  listSymbols,
  type TermSymbol,
  findPlainSymbols,
  listMergingSymbols,
  type TermContext,
} from './symbol-table.ts'

/** How often a candidate is used, in all and by context. */
export interface CandidateUsage {
  readonly candidate: number
  readonly count: number
  /** Occurrences after a space that stays. */
  readonly afterSpace: number
  readonly contexts: ReadonlyMap<TermContext, number>
  /** Tokens that a sign costs more than a letter, in the text and in the header. */
  readonly signLoss: number
  /** Whether symbols that need a letter in the expansion are excluded. */
  readonly lacksLetter: boolean
}

/**
 * Tokens that a symbol saves for a candidate, compared with a letter that joins only a space before it, less what it
 * costs in the other tokenizers.
 */
export interface SymbolScore {
  readonly usage: CandidateUsage
  readonly symbol: TermSymbol
  readonly gain: number
}

/** The tokenizer that symbols are scored by. */
export interface ScoreOptions {
  readonly tokenizer: Tokenizer
  /** Counts the tokens of a short string, cached. */
  readonly countCached: (text: string) => number
}

/** Lists the positive scores of the symbols in `free`, counted in the contexts of each candidate's occurrences. */
export function scoreSymbols(
  usages: readonly CandidateUsage[],
  free: readonly TermSymbol[],
  { tokenizer, countCached }: ScoreOptions,
): SymbolScore[] {
  const symbols = listSymbols(tokenizer)
  const numbers = numberSymbols(tokenizer)
  const isFree = new Uint8Array(symbols.length)
  for (const symbol of free) isFree[numbers.get(symbol)!] = 1
  const cheap = free.filter(({ mergesInHeader }) => mergesInHeader).map((symbol) => numbers.get(symbol)!)
  const savings = new Map<TermContext, ContextSavings>()
  const gains = new Int32Array(symbols.length)
  const isSeen = new Uint8Array(symbols.length)
  const scores: SymbolScore[] = []
  for (const usage of usages) {
    const seen = [...cheap]
    for (const number of cheap) isSeen[number] = 1
    for (const [context, count] of usage.contexts) {
      let found = savings.get(context)
      if (found === undefined)
        savings.set(context, (found = countContextSavings(context, tokenizer, countCached)))
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
      const gain =
        gains[number]! +
        (symbol.mergesInHeader ? 1 : 0) -
        (symbol.mergesWithSpace ? 0 : usage.afterSpace) -
        (symbol.isLetter ? 0 : usage.signLoss) -
        OTHER_TOKENIZERS * countExtraTokens(symbol, usage)
      if (gain > 0 && !(symbol.needsLetter && usage.lacksLetter)) scores.push({ usage, symbol, gain })
      gains[number] = 0
      isSeen[number] = 0
    }
  }
  return scores
}

/** What an extra token in the other tokenizers, as a mean over their families, counts against one of this tokenizer. */
const OTHER_TOKENIZERS = 0.25

/** Counts the tokens that a sign costs more than a letter in a context. */
export function countSignLoss(
  { left, right }: TermContext,
  { tokenizer, countCached }: ScoreOptions,
): number {
  const { letter, sign } = findPlainSymbols(tokenizer)
  return countCached(left + sign + right) - countCached(left + letter + right)
}

/** Extra tokens of a term with these uses and its pair, as a mean over the tokenizer families. */
function countExtraTokens(
  { bareCost, spacedCost }: TermSymbol,
  { count, afterSpace }: CandidateUsage,
): number {
  return bareCost * (count - afterSpace + 1) + spacedCost * afterSpace
}

/**
 * Numbers of the symbols that may merge in a context, as in `listSymbols`, each followed by the tokens it saves
 * there.
 */
type ContextSavings = Int32Array

/**
 * Counts what symbols save in a context, letters and signs each compared with one that joins only a space; cached across
 * texts, as contexts recur.
 */
function countContextSavings(
  context: TermContext,
  tokenizer: Tokenizer,
  countCached: (text: string) => number,
): ContextSavings {
  let known = KNOWN_SAVINGS.get(tokenizer)
  if (known === undefined) KNOWN_SAVINGS.set(tokenizer, (known = new Map<string, ContextSavings>()))
  const { left, right } = context
  const key = `${left}\0${right}`
  const found = known.get(key)
  if (found) return found
  const numbers = numberSymbols(tokenizer)
  const { letter, sign } = findPlainSymbols(tokenizer)
  const letterCost = countCached(left + letter + right)
  const signCost = countCached(left + sign + right)
  const savings = Int32Array.from(
    [...listMergingSymbols(tokenizer, context)].flatMap((symbol) => [
      numbers.get(symbol)!,
      (symbol.isLetter ? letterCost : signCost) -
        countCached(left + symbol.term + right) -
        countLostSpace(symbol, left),
    ]),
  )
  if (known.size >= MAX_CONTEXTS) known.clear()
  known.set(key, savings)
  return savings
}

const MAX_CONTEXTS = 1 << 12
const KNOWN_SAVINGS = new WeakMap<Tokenizer, Map<string, ContextSavings>>()

function numberSymbols(tokenizer: Tokenizer): ReadonlyMap<TermSymbol, number> {
  let numbers = KNOWN_NUMBERS.get(tokenizer)
  if (numbers === undefined) {
    numbers = new Map(listSymbols(tokenizer).map((symbol, number) => [symbol, number]))
    KNOWN_NUMBERS.set(tokenizer, numbers)
  }
  return numbers
}

const KNOWN_NUMBERS = new WeakMap<Tokenizer, ReadonlyMap<TermSymbol, number>>()

/**
 * Cancels the token of the lost space, which `scoreSymbols` subtracts later: returns -1 if the context ends with a
 * space that does not merge with the symbol.
 */
function countLostSpace({ mergesWithSpace }: TermSymbol, left: string): number {
  return !mergesWithSpace && left.endsWith(' ') ? -1 : 0
}
