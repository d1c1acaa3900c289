import type { Pieces, Tokenizer } from '../tokens/types.ts'
import type { HeaderCost } from './find-phrases.ts'
import type { Units } from './lex-units.ts'
import { PieceCounter } from './piece-counter.ts'

/**
 * What an entry costs in the header: `|`, a term of one token, `=` and the expansion, escaped.
 *
 * From the edges of its phrase in the escaped text where it crosses pre-tokens, else counted.
 *
 * @param pieces Pre-tokens of the text as it is, taken where it needs no escape.
 */
export function createHeaderCost(
  units: Units,
  pieces: Pieces,
  tokenizer: Tokenizer,
  tally: (text: string) => number,
): HeaderCost {
  const { text, starts, count } = units
  const escaped = escapeExpansion(text)
  const counter = new PieceCounter(escaped, escaped === text ? pieces : tokenizer.splitPieces(escaped), tally)
  const begins = new Int32Array(count + 1)
  const ends = new Int32Array(count + 1)
  const holders = new Int32Array(count + 1)
  for (let unit = 0, shift = 0; unit <= count; unit++) {
    counter.seek(starts[unit]! + shift)
    begins[unit] = counter.countAfter('=') + 1
    ends[unit] = counter.countBefore('|') - counter.total
    holders[unit] = counter.piece
    for (let at = starts[unit]!; at < starts[unit + 1]!; at++) if (isEscaped(text.charCodeAt(at))) shift++
  }
  return (begin, end) =>
    holders[end]! - holders[begin]! > 1
      ? begins[begin]! + ends[end]!
      : tally(`=${escapeExpansion(text.slice(starts[begin], starts[end]))}|`) + 1
}

/** An expansion as it is written in a header (SPEC.md, escapes). */
export function escapeExpansion(expansion: string): string {
  return expansion.replace(/[\\|\n\r\t]/g, (character) => ESCAPES.get(character)!)
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['|', '\\|'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])

function isEscaped(code: number): boolean {
  return code === 92 || code === 124 || code === 10 || code === 13 || code === 9
}
