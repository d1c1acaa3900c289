import { PieceMerger } from './piece-merger.ts'
import type { Pieces, Tokenizer, TokenizerName } from './get-tokenizer.ts'
import { countUnits, createUtf8Buffer } from './utf8-buffer.ts'
import { serializeVocabulary, type Vocabulary } from './vocabulary/stored-vocabulary.ts'
import {
  asciiClasses,
  classAt,
  END_OF_TEXT,
  LETTER,
  LOWER,
  MULTIBYTE,
  NEWLINE,
  NUMBER,
  OTHER,
  SPACE,
  UPPER,
  widthOf,
} from './character-classes.ts'

/** End of the pre-token at a byte of UTF-8 that ends in {@link END_OF_TEXT}. */
type EndOfPiece = (bytes: Uint8Array, from: number) => number

/** The pre-token patterns of the tokenizers, as in tiktoken. */
const PATTERNS: Readonly<Record<TokenizerName, EndOfPiece>> = {
  o200k_base: endOfO200kPiece,
  cl100k_base: endOfCl100kPiece,
}

/** The alternatives of the pattern are in the comments. Reads a run at most twice. */
function endOfO200kPiece(bytes: Uint8Array, from: number): number {
  const first = classAt(bytes, from)
  if (first & NUMBER) return endOfNumber(bytes, from)
  if (!(first & NEWLINE)) {
    const end = endOfO200kWord(bytes, from, first)
    if (end > from) return endOfContraction(bytes, end)
  }
  const end = endOfPunctuation(bytes, from, first, SLASH)
  return end > from ? end : endOfSpace(bytes, from)
}

// [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+
// [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*
function endOfO200kWord(bytes: Uint8Array, from: number, first: number): number {
  if (bytes[from]! >= 0x80) return endOfO200kUnicodeWord(bytes, from, first)
  const start = first & LETTER ? from : from + 1
  let at = start
  let current = asciiClasses[bytes[at]!]!
  while (current & UPPER) current = asciiClasses[bytes[++at]!]!
  while (current & LOWER) current = asciiClasses[bytes[++at]!]!
  if (current === MULTIBYTE) return endOfO200kUnicodeWord(bytes, from, first)
  return at > start ? at : from
}

function endOfO200kUnicodeWord(bytes: Uint8Array, from: number, first: number): number {
  const start = first & LETTER ? from : from + widthOf(bytes[from]!)
  let at = start
  // Without a lower-case letter the first pattern backtracks to the last character that counts as both cases,
  // which may be a mark used as the prefix.
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

// ` ?[^\s\p{L}\p{N}]+[\r\n/]*`, in cl100k_base without the slash
function endOfPunctuation(bytes: Uint8Array, from: number, first: number, slash: number): number {
  let at = bytes[from] === 0x20 ? from + 1 : from
  if (!((at === from ? first : classAt(bytes, at)) & OTHER)) return from
  do {
    at += widthOf(bytes[at]!)
  } while (classAt(bytes, at) & OTHER)
  while (bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === slash) at++
  return at
}

function endOfCl100kPiece(bytes: Uint8Array, from: number): number {
  const contraction = endOfContraction(bytes, from)
  if (contraction > from) return contraction
  const first = classAt(bytes, from)
  if (first & NUMBER) return endOfNumber(bytes, from)
  if (!(first & NEWLINE)) {
    const end = endOfCl100kWord(bytes, from, first)
    if (end > from) return end
  }
  const end = endOfPunctuation(bytes, from, first, NONE)
  return end > from ? end : endOfSpace(bytes, from)
}

// [^\r\n\p{L}\p{N}]?\p{L}+
function endOfCl100kWord(bytes: Uint8Array, from: number, first: number): number {
  const start = first & LETTER ? from : from + widthOf(bytes[from]!)
  let at = start
  while (classAt(bytes, at) & LETTER) at += widthOf(bytes[at]!)
  return at > start ? at : from
}

const SLASH = 0x2f
/** Equal to no byte. */
const NONE = -1
const APOSTROPHE = 0x27
const LOWER_CASE = 0x20
const D = 0x64
const E = 0x65
const L = 0x6c
const M = 0x6d
const R = 0x72
const S = 0x73
const T = 0x74
const V = 0x76
/** The UTF-8 bytes of the long s `ſ` (U+017F), which equals s when case is ignored. */
const LONG_S = [0xc5, 0xbf] as const

/** End of `(?i:'s|'t|'re|'ve|'m|'ll|'d)` at byte `at`; `at` itself if it does not match. */
function endOfContraction(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== APOSTROPHE) return at
  if (bytes[at + 1] === LONG_S[0]) return bytes[at + 2] === LONG_S[1] ? at + 3 : at
  const second = bytes[at + 1]! | LOWER_CASE
  if (second === S || second === D || second === M || second === T) return at + 2
  if (second !== L && second !== V && second !== R) return at
  const third = bytes[at + 2]! | LOWER_CASE
  return third === (second === L ? L : E) ? at + 3 : at
}

/** End of `\p{N}{1,3}` at byte `at`, which must be a number. */
function endOfNumber(bytes: Uint8Array, at: number): number {
  let end = at + widthOf(bytes[at]!)
  if (classAt(bytes, end) & NUMBER) {
    end += widthOf(bytes[end]!)
    if (classAt(bytes, end) & NUMBER) end += widthOf(bytes[end]!)
  }
  return end
}

/** End of `\s*[\r\n]+|\s+(?!\S)|\s+` at byte `from`, which must be a space. */
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

export function createTokenizer(name: TokenizerName, vocabulary: Vocabulary): Tokenizer {
  const endOfPiece = PATTERNS[name]
  const merger = new PieceMerger(vocabulary)
  const buffer = createUtf8Buffer()

  function countTokens(text: string): number {
    const length = buffer.write(text)
    const { bytes } = buffer
    let total = 0
    for (let at = 0; at < length;) {
      const end = endOfPiece(bytes, at)
      total += merger.count(bytes, at, end)
      at = end
    }
    return total
  }

  function visitPieces(
    text: string,
    visit: (bytes: Uint8Array, from: number, to: number, isAscii: boolean) => void,
  ): void {
    const length = buffer.write(text)
    const { bytes } = buffer
    for (let at = 0; at < length;) {
      const end = endOfPiece(bytes, at)
      visit(bytes, at, end, length === text.length)
      at = end
    }
  }

  function encode(text: string): number[] {
    const tokens: number[] = []
    visitPieces(text, (bytes, from, to) => merger.encode(bytes, from, to, tokens))
    return tokens
  }

  function tokenEnds(text: string): Int32Array {
    const ends: number[] = []
    let units = 0
    visitPieces(text, (bytes, from, to) => {
      const tokens: number[] = []
      merger.encode(bytes, from, to, tokens)
      let at = from
      for (const token of tokens) {
        const next = at + vocabulary.lengthOf(token)
        units += countUnits(bytes, at, next)
        at = next
        const isCharacterEnd = at === to || (bytes[at]! & 0xc0) !== 0x80
        ends.push(isCharacterEnd ? units : ~units)
      }
    })
    return Int32Array.from(ends)
  }

  function splitPieces(text: string): Pieces {
    // Growing typed arrays takes two thirds of the time of lists.
    let ends = new Uint32Array(Math.ceil(text.length / UNITS_PER_PIECE) + 16)
    let counts = new Uint32Array(ends.length)
    let size = 0
    let units = 0
    visitPieces(text, (bytes, from, to, isAscii) => {
      if (size === ends.length) [ends, counts] = [grow(ends), grow(counts)]
      units += isAscii ? to - from : countUnits(bytes, from, to)
      ends[size] = units
      counts[size++] = merger.count(bytes, from, to)
    })
    return { ends: ends.slice(0, size), counts: counts.slice(0, size) }
  }

  return {
    name,
    countTokens,
    encode,
    tokenEnds,
    splitPieces,
    serializeVocabulary: () => serializeVocabulary(name, vocabulary),
  }
}

const UNITS_PER_PIECE = 4

function grow(numbers: Uint32Array): Uint32Array<ArrayBuffer> {
  const grown = new Uint32Array(numbers.length * 2)
  grown.set(numbers)
  return grown
}
