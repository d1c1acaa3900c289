import ranks from 'gpt-tokenizer/bpeRanks/cl100k_base'
import { createTokenizer } from './create-tokenizer.ts'
import { registerTokenizer } from './get-tokenizer.ts'
import {
  classAt,
  END_OF_TEXT,
  endOfContraction,
  endOfNumber,
  LETTER,
  NEWLINE,
  NUMBER,
  OTHER,
  SPACE,
  widthOf,
} from './pattern-parts.ts'
import type { Tokenizer } from './types.ts'

/** The tokenizer cl100k_base. Importing this module registers it for `getTokenizer`. */
export const cl100kBase: Tokenizer = registerTokenizer(
  createTokenizer('cl100k_base', ranks, endOfCl100kPiece),
)

/** End of the pre-token of cl100k_base that starts at byte `from` of UTF-8 terminated by {@link END_OF_TEXT}. */
function endOfCl100kPiece(bytes: Uint8Array, from: number): number {
  const contraction = endOfContraction(bytes, from)
  if (contraction > from) return contraction
  const first = classAt(bytes, from)
  if (first & NUMBER) return endOfNumber(bytes, from)
  if (!(first & NEWLINE)) {
    const end = endOfWord(bytes, from, first)
    if (end > from) return end
  }
  const end = endOfPunctuation(bytes, from, first)
  return end > from ? end : endOfSpace(bytes, from)
}

// [^\r\n\p{L}\p{N}]?\p{L}+
function endOfWord(bytes: Uint8Array, from: number, first: number): number {
  const start = first & LETTER ? from : from + widthOf(bytes[from]!)
  let at = start
  while (classAt(bytes, at) & LETTER) at += widthOf(bytes[at]!)
  return at > start ? at : from
}

// ` ?[^\s\p{L}\p{N}]+[\r\n]*`
function endOfPunctuation(bytes: Uint8Array, from: number, first: number): number {
  let at = bytes[from] === 0x20 ? from + 1 : from
  if (!((at === from ? first : classAt(bytes, at)) & OTHER)) return from
  do {
    at += widthOf(bytes[at]!)
  } while (classAt(bytes, at) & OTHER)
  while (bytes[at] === 0x0a || bytes[at] === 0x0d) at++
  return at
}

// \s+$|\s*[\r\n]|\s+(?!\S)|\s
function endOfSpace(bytes: Uint8Array, from: number): number {
  let at = from
  let last = from
  let endOfLine = from
  let current = classAt(bytes, at)
  while (current & SPACE) {
    last = at
    at += widthOf(bytes[at]!)
    if (current & NEWLINE) endOfLine = at
    current = classAt(bytes, at)
  }
  if (bytes[at] === END_OF_TEXT) return at
  if (endOfLine > from) return endOfLine
  return last === from ? at : last
}
