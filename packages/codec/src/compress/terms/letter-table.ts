import type { Tokenizer, TokenizerName } from '../../tokens/types.ts'
import {
  BARE_COSTS,
  DIGITS_AND_UNITS,
  FORMS_CL100K_BASE,
  FORMS_O200K_BASE,
  MERGES_CL100K_BASE,
  MERGES_O200K_BASE,
  SPACED_COSTS,
  SYMBOLS,
  TOTAL_WEIGHT,
} from './term-lists.ts'

/** A character that can be a term anywhere: one token, no word character, no combining mark (Unicode category M). */
export interface TermSymbol {
  readonly term: string
  /** A space before it costs nothing: both are one token. */
  readonly mergesWithSpace: boolean
  /** A letter of Han, kana or Hangul; otherwise a sign, which tokenizers join with the signs next to it. */
  readonly isLetter: boolean
  /** `|`, the term and `=` are two tokens in the header. */
  readonly mergesInHeader: boolean
  /** Extra tokens of a use, as a mean over the tokenizer families. */
  readonly bareCost: number
  /** Extra tokens of a use behind a space, as a mean over the tokenizer families. */
  readonly spacedCost: number
  /** A currency, a unit or a digit: its expansion must contain a letter (SPEC.md section 8.6, T6). */
  readonly needsLetter: boolean
}

/**
 * Lists the symbols that are one token of a tokenizer, the cheapest over all families of tokenizers first, then the most
 * readable: signs and punctuation before Han, Hangul and kana, emoji last.
 */
export function listSymbols(tokenizer: Tokenizer): readonly TermSymbol[] {
  const known = KNOWN_SYMBOLS.get(tokenizer)
  if (known) return known
  const symbols: TermSymbol[] = []
  const forms = FORMS[tokenizer.name]
  for (let at = 0; at < SYMBOLS.length; at++) {
    const term = SYMBOLS[at]!
    const form = Number(forms[at])
    if ((form & 1) === 0) continue
    symbols.push({
      term,
      mergesWithSpace: (form & 2) !== 0,
      isLetter: LETTER_OR_DIGIT.test(term),
      mergesInHeader: isAscii(term) && tokenizer.countTokens(`|${term}=`) === 2,
      bareCost: parseInt(BARE_COSTS[at]!, 36) / TOTAL_WEIGHT,
      spacedCost: parseInt(SPACED_COSTS[at]!, 36) / TOTAL_WEIGHT,
      needsLetter: DIGITS_AND_UNITS.includes(term),
    })
  }
  KNOWN_SYMBOLS.set(tokenizer, symbols)
  return symbols
}

function isAscii(term: string): boolean {
  return term < '\x80'
}

const FORMS: Readonly<Record<TokenizerName, string>> = {
  o200k_base: FORMS_O200K_BASE,
  cl100k_base: FORMS_CL100K_BASE,
}
const KNOWN_SYMBOLS = new WeakMap<Tokenizer, readonly TermSymbol[]>()

/** The text right before and after a term, as far as it can affect the term's tokens. */
export interface TermContext {
  readonly left: string
  readonly right: string
}

/** Longest texts that may be one token with a symbol. */
const MAX_BEFORE = 2
const MAX_AFTER = 3
const MAX_RUN = 6
/** Longest part of a word that tells whether a token joins a sign with the word. */
const MAX_WORD = 8
const LETTER_OR_DIGIT = /[\p{L}\p{N}\p{M}]/u

/**
 * Returns the context of `[start, end)` in `text` within `[from, to)`: the signs and spaces around the term, at most 6
 * on each side. They end at a letter or digit, as these never merge with a symbol. `a` stands for the text beyond, but
 * for a word after a single sign: if the term is no letter, it takes the sign from the word.
 */
export function describeContext(
  text: string,
  start: number,
  end: number,
  from: number,
  to: number,
): TermContext {
  let first = start
  while (first > from && start - first < MAX_RUN && isSign(text, first - 1)) first--
  let last = end
  while (last < to && last - end < MAX_RUN && isSign(text, last)) last++
  return {
    left: (first > from ? 'a' : '') + text.slice(first, start),
    right: text.slice(end, last) + describeNext(text, end, last, to),
  }
}

/** Describes the text from `at` up to `to`, after the signs from `end` up to `at`. */
function describeNext(text: string, end: number, at: number, to: number): string {
  if (at >= to) return ''
  if (at !== end + 1 || WHITE_SPACE.test(text[end]!)) return 'a'
  let last = at
  while (last < to && last - at < MAX_WORD && LETTER.test(text[last]!)) last++
  return last > at ? text.slice(at, last) : 'a'
}

const LETTER = /[A-Za-z]/
const WHITE_SPACE = /\s/

function isSign(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  if (code < 0x80)
    return code < 0x30 || (code > 0x39 && code < 0x41) || (code > 0x5a && code < 0x61) || code > 0x7a
  return (code < 0xd800 || code > 0xdfff) && !LETTER_OR_DIGIT.test(text[at]!)
}

/** Lists the symbols that may merge into one token with their neighbours in a context: those of ASCII, and some others. */
export function listMergingSymbols(
  tokenizer: Tokenizer,
  { left, right }: TermContext,
): ReadonlySet<TermSymbol> {
  const table = tableOf(tokenizer)
  const merging = new Set(table.get(ASCII))
  for (let before = 0; before <= Math.min(MAX_BEFORE, left.length); before++) {
    for (let after = 0; after <= Math.min(MAX_AFTER, right.length); after++) {
      const found = table.get(keyOf(left.slice(left.length - before), right.slice(0, after)))
      for (const symbol of found ?? []) merging.add(symbol)
    }
  }
  return merging
}

/** Symbols that merge only with a space before them. */
export interface PlainSymbols {
  readonly letter: string
  readonly sign: string
}

export function findPlainSymbols(tokenizer: Tokenizer): PlainSymbols {
  const known = KNOWN_PLAIN.get(tokenizer)
  if (known !== undefined) return known
  const merging = new Set([...tableOf(tokenizer).values()].flat())
  const plain = listSymbols(tokenizer).filter((symbol) => symbol.mergesWithSpace && !merging.has(symbol))
  const find = (isLetter: boolean): string => plain.find((symbol) => symbol.isLetter === isLetter)!.term
  const found = { letter: find(true), sign: find(false) }
  KNOWN_PLAIN.set(tokenizer, found)
  return found
}

const KNOWN_PLAIN = new WeakMap<Tokenizer, PlainSymbols>()

/**
 * Maps the text before and after a symbol in tokens to the symbols; a single space before is left out. The few symbols
 * of ASCII merge with almost everything: they stand under {@link ASCII}.
 */
function tableOf(tokenizer: Tokenizer): ReadonlyMap<string, readonly TermSymbol[]> {
  const known = KNOWN_MERGES.get(tokenizer)
  if (known) return known
  const table = new Map<string, TermSymbol[]>()
  const all = listSymbols(tokenizer)
  const symbols = new Map(all.flatMap((symbol) => (isAscii(symbol.term) ? [] : [[symbol.term, symbol]])))
  table.set(
    ASCII,
    all.filter(({ term }) => isAscii(term)),
  )
  for (const token of MERGES[tokenizer.name].split('a')) {
    for (let at = 0; at < token.length; at++) {
      const symbol = symbols.get(token[at]!)
      if (symbol === undefined || token.length - at - 1 > MAX_AFTER || at > MAX_BEFORE) continue
      const before = token.slice(0, at)
      const after = token.slice(at + 1)
      if (`${before}|${after}` === ' |' || LETTER_OR_DIGIT.test(before + after)) continue
      const key = keyOf(before, after)
      const list = table.get(key)
      if (list) list.push(symbol)
      else table.set(key, [symbol])
    }
  }
  KNOWN_MERGES.set(tokenizer, table)
  return table
}

/** The key of the symbols of ASCII; no context has it. */
const ASCII = 'ASCII'
const MERGES: Readonly<Record<TokenizerName, string>> = {
  o200k_base: MERGES_O200K_BASE,
  cl100k_base: MERGES_CL100K_BASE,
}

function keyOf(before: string, after: string): string {
  return `${before}\0${after}`
}

const KNOWN_MERGES = new WeakMap<Tokenizer, ReadonlyMap<string, readonly TermSymbol[]>>()
