import ranks from 'gpt-tokenizer/bpeRanks/o200k_base'
import { createTokenizer } from './create-tokenizer.ts'
import { registerTokenizer } from './get-tokenizer.ts'
import {
  asciiClasses,
  classAt,
  END_OF_TEXT,
  endOfContraction,
  endOfNumber,
  LETTER,
  LOWER,
  MULTIBYTE,
  NEWLINE,
  NUMBER,
  OTHER,
  SPACE,
  UPPER,
  widthOf,
} from './pattern-parts.ts'
import type { Tokenizer } from './types.ts'

/** The tokenizer o200k_base. Importing this module registers it for `getTokenizer`. */
export const o200kBase: Tokenizer = registerTokenizer(createTokenizer('o200k_base', ranks, endOfO200kPiece))

/**
 * End of the pre-token of o200k_base that starts at byte `from` of UTF-8 terminated by {@link END_OF_TEXT}. Equals
 * a match of the pattern, whose alternatives are in the comments; reads a run at most twice.
 */
function endOfO200kPiece(bytes: Uint8Array, from: number): number {
  const first = classAt(bytes, from)
  if (first & NUMBER) return endOfNumber(bytes, from)
  if (!(first & NEWLINE)) {
    const end = endOfWord(bytes, from, first)
    if (end > from) return endOfContraction(bytes, end)
  }
  const end = endOfPunctuation(bytes, from, first)
  return end > from ? end : endOfSpace(bytes, from)
}

// [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+
// [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*
function endOfWord(bytes: Uint8Array, from: number, first: number): number {
  if (bytes[from]! >= 0x80) return endOfAnyWord(bytes, from, first)
  const start = first & LETTER ? from : from + 1
  let at = start
  let current = asciiClasses[bytes[at]!]!
  while (current & UPPER) current = asciiClasses[bytes[++at]!]!
  while (current & LOWER) current = asciiClasses[bytes[++at]!]!
  if (current === MULTIBYTE) return endOfAnyWord(bytes, from, first)
  return at > start ? at : from
}

function endOfAnyWord(bytes: Uint8Array, from: number, first: number): number {
  const start = first & LETTER ? from : from + widthOf(bytes[from]!)
  let at = start
  // Without a lower-case letter the first pattern backtracks to the last character that counts as both cases,
  // including a mark in the place of the prefix.
  let endOfBoth = (first & (LETTER | LOWER)) === LOWER ? start : from
  let current = classAt(bytes, at)
  while (current & UPPER) {
    at += widthOf(bytes[at]!)
    if (current & LOWER) endOfBoth = at
    current = classAt(bytes, at)
  }
  if (current & LOWER) {
    do {
      at += widthOf(bytes[at]!)
    } while (classAt(bytes, at) & LOWER)
    return at
  }
  if (endOfBoth > from) return endOfBoth
  return at > start ? at : from
}

// ` ?[^\s\p{L}\p{N}]+[\r\n/]*`
function endOfPunctuation(bytes: Uint8Array, from: number, first: number): number {
  let at = bytes[from] === 0x20 ? from + 1 : from
  if (!((at === from ? first : classAt(bytes, at)) & OTHER)) return from
  do {
    at += widthOf(bytes[at]!)
  } while (classAt(bytes, at) & OTHER)
  while (bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x2f) at++
  return at
}

// \s*[\r\n]+|\s+(?!\S)|\s+
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
  if (endOfLine > from) return endOfLine
  return bytes[at] === END_OF_TEXT || last === from ? at : last
}
