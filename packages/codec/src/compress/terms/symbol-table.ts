import type { Tokenizer } from '../../tokens/types.ts'
import { countSharedForms } from './shared-terms.ts'

/** A character that can be a term anywhere: one token, no word character, no combining mark (Unicode category M). */
export interface TermSymbol {
  readonly term: string
  /** A space before it costs nothing: both are one token. */
  readonly mergesWithSpace: boolean
  /** `|`, the term and `=` are two tokens in the header. */
  readonly mergesInHeader: boolean
}

/**
 * Lists all one-token symbols of a tokenizer, the most readable first: ASCII marks, signs, punctuation, then Han,
 * Hangul and kana (for texts without these scripts), emoji last. Within each group, symbols that are one token in
 * both tokenizers come first.
 */
export function listSymbols(tokenizer: Tokenizer): readonly TermSymbol[] {
  const known = KNOWN_SYMBOLS.get(tokenizer)
  if (known) return known
  const groups: TermSymbol[][] = READABILITY_GROUPS.map(() => [])
  for (const term of tokenizer.listSigns(1)) {
    const group = READABILITY_GROUPS.findIndex((pattern) => pattern.test(term))
    if (group < 0 || UNFIT.test(term) || !tokenizer.isOneToken(term)) continue
    const count = (before: string, after: string): number => tokenizer.countTokens(before + term + after)
    const mergesInHeader = count('|', '=') === 2
    groups[group]!.push({
      term,
      mergesWithSpace: count('x ', ' y') === 3,
      mergesInHeader,
    })
  }
  const symbols = groups.flatMap((group) => group.toSorted((a, b) => rankShared(b) - rankShared(a)))
  KNOWN_SYMBOLS.set(tokenizer, symbols)
  return symbols
}

function rankShared({ term, mergesWithSpace }: TermSymbol): number {
  return countSharedForms(term, mergesWithSpace)
}

const KNOWN_SYMBOLS = new WeakMap<Tokenizer, readonly TermSymbol[]>()
const UNFIT = /[\p{M}\p{N}\p{C}\p{Z}\u2800\ufffc\ufffd\uff1d\uff3c\uff5c]/u
// Not Extended_Pictographic: Unicode 17 removes 172 characters below U+10000 from it, and all versions of Node must
// produce the same pack.
const READABILITY_GROUPS: readonly RegExp[] = [
  /[!%/~;?}"]/,
  /(?!\p{Emoji})[\u00a1-\uffff](?<=\p{S}|[§¶†‡※●■□◆◇])(?<![\uff00-\uffef´¨¯¸˚˜˝΄])/u,
  /(?!\p{Emoji})[\u00a1-\uffff](?<=[\p{P}\p{S}])/u,
  /\p{Script=Han}/u,
  /\p{Script=Hangul}/u,
  /[\p{Script=Hiragana}\p{Script=Katakana}]/u,
  /[\u00a1-\uffff](?<=[\p{P}\p{S}])/u,
]

/** The text right before and after a term, as far as it can affect the term's tokens. */
export interface TermContext {
  readonly left: string
  readonly right: string
}

/** Longest texts that may be one token with a symbol. */
const MAX_BEFORE = 2
const MAX_AFTER = 3
const MAX_RUN = 6
const LETTER_OR_DIGIT = /[\p{L}\p{N}\p{M}]/u

/**
 * Returns the context of `[start, end)` in `text` within `[from, to)`: the signs and spaces around the term, at most 6
 * on each side. They end at a letter or digit, as these never merge with a symbol. `a` stands for the text beyond.
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
    right: text.slice(end, last) + (last < to ? 'a' : ''),
  }
}

function isSign(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  if (code < 0x80)
    return code < 0x30 || (code > 0x39 && code < 0x41) || (code > 0x5a && code < 0x61) || code > 0x7a
  return (code < 0xd800 || code > 0xdfff) && !LETTER_OR_DIGIT.test(text[at]!)
}

/** Lists the symbols that may merge into one token with their neighbours in a context. */
export function listMergingSymbols(
  tokenizer: Tokenizer,
  { left, right }: TermContext,
): ReadonlySet<TermSymbol> {
  const table = tableOf(tokenizer)
  const merging = new Set<TermSymbol>()
  for (let before = 0; before <= Math.min(MAX_BEFORE, left.length); before++) {
    for (let after = 0; after <= Math.min(MAX_AFTER, right.length); after++) {
      const found = table.get(keyOf(left.slice(left.length - before), right.slice(0, after)))
      for (const symbol of found ?? []) merging.add(symbol)
    }
  }
  return merging
}

/** Returns a symbol that merges only with a space before it. */
export function findPlainSymbol(tokenizer: Tokenizer): string {
  const known = KNOWN_PLAIN.get(tokenizer)
  if (known !== undefined) return known
  const merging = new Set([...tableOf(tokenizer).values()].flat())
  const { term } = listSymbols(tokenizer).find(
    (symbol) => symbol.mergesWithSpace && !symbol.mergesInHeader && !merging.has(symbol),
  )!
  KNOWN_PLAIN.set(tokenizer, term)
  return term
}

const KNOWN_PLAIN = new WeakMap<Tokenizer, string>()

/**
 * Maps the text before and after a symbol in tokens of the vocabulary to the symbols; a single space before is left
 * out.
 */
function tableOf(tokenizer: Tokenizer): ReadonlyMap<string, readonly TermSymbol[]> {
  const known = KNOWN_MERGES.get(tokenizer)
  if (known) return known
  const table = new Map<string, TermSymbol[]>()
  const symbols = new Map(listSymbols(tokenizer).map((symbol) => [symbol.term, symbol]))
  for (const token of tokenizer.listSigns(MAX_BEFORE + 1 + MAX_AFTER)) {
    if (token.length < 2) continue
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

function keyOf(before: string, after: string): string {
  return `${before}\0${after}`
}

const KNOWN_MERGES = new WeakMap<Tokenizer, ReadonlyMap<string, readonly TermSymbol[]>>()
