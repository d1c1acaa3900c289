/**
 * Character classes of the pre-token patterns, one bit each. Marks (`\p{M}`) have {@link UPPER}, {@link LOWER} and
 * {@link OTHER}, because the patterns of o200k_base allow them in words and in runs of punctuation.
 */
export const UPPER = 1
export const LOWER = 2
export const LETTER = 4
export const NUMBER = 8
export const SPACE = 16
export const NEWLINE = 32
export const OTHER = 64

/** Only in {@link asciiClasses}: the byte belongs to a character of several bytes. */
export const MULTIBYTE = 128

/** A byte that never occurs in UTF-8. It terminates a text and has no class. */
export const END_OF_TEXT = 0xff

const PAGE_SIZE = 1024
const patterns: readonly (readonly [RegExp, number])[] = [
  [/\p{M}+/gu, OTHER | UPPER | LOWER],
  [/\p{N}+/gu, NUMBER],
  [/\s+/gu, SPACE],
  [/[\r\n]+/gu, SPACE | NEWLINE],
  [/[\p{Lu}\p{Lt}]+/gu, LETTER | UPPER],
  [/\p{Ll}+/gu, LETTER | LOWER],
  [/[\p{Lm}\p{Lo}]+/gu, LETTER | UPPER | LOWER],
]
const pages: (Uint8Array | undefined)[] = []

/** Class of each byte below 0x80, {@link MULTIBYTE} for all others, 0 for {@link END_OF_TEXT}. */
export const asciiClasses: Uint8Array = new Uint8Array(256).fill(MULTIBYTE)
asciiClasses.set(pageAt(0).subarray(0, 0x80))
asciiClasses[END_OF_TEXT] = 0

/** Class of the character that starts at byte `at` of well-formed UTF-8; 0 at {@link END_OF_TEXT}. */
export function classAt(bytes: Uint8Array, at: number): number {
  const ascii = asciiClasses[bytes[at]!]!
  return ascii === MULTIBYTE ? classOf(codePointAt(bytes, at)) : ascii
}

/** Number of bytes of the character that begins with `byte`. */
export function widthOf(byte: number): number {
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
}

function codePointAt(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!
  const second = bytes[at + 1]! & 0x3f
  if (lead < 0xe0) return ((lead & 0x1f) << 6) | second
  const third = bytes[at + 2]! & 0x3f
  if (lead < 0xf0) return ((lead & 0x0f) << 12) | (second << 6) | third
  return ((lead & 0x07) << 18) | (second << 12) | (third << 6) | (bytes[at + 3]! & 0x3f)
}

function classOf(codePoint: number): number {
  return pageAt(Math.floor(codePoint / PAGE_SIZE))[codePoint % PAGE_SIZE]!
}

function pageAt(index: number): Uint8Array {
  return (pages[index] ??= buildPage(index * PAGE_SIZE))
}

function buildPage(first: number): Uint8Array {
  const page = new Uint8Array(PAGE_SIZE).fill(OTHER)
  const unitsPerCharacter = first < 0x10000 ? 1 : 2
  const text = String.fromCodePoint(...Array.from(page, (_, index) => first + index))
  for (const [pattern, value] of patterns) {
    for (const { 0: run, index } of text.matchAll(pattern)) {
      page.fill(value, index / unitsPerCharacter, (index + run.length) / unitsPerCharacter)
    }
  }
  return page
}

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

/** End of `'(?:[sS]|[dD]|[mM]|[tT]|[lL][lL]|[vV][eE]|[rR][eE])` at byte `at`; `at` itself if it does not match. */
export function endOfContraction(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== APOSTROPHE) return at
  const second = bytes[at + 1]! | LOWER_CASE
  if (second === S || second === D || second === M || second === T) return at + 2
  if (second !== L && second !== V && second !== R) return at
  const third = bytes[at + 2]! | LOWER_CASE
  return third === (second === L ? L : E) ? at + 3 : at
}

/** End of `\p{N}{1,3}` at byte `at`, which must be a number. */
export function endOfNumber(bytes: Uint8Array, at: number): number {
  let end = at + widthOf(bytes[at]!)
  if (classAt(bytes, end) & NUMBER) {
    end += widthOf(bytes[end]!)
    if (classAt(bytes, end) & NUMBER) end += widthOf(bytes[end]!)
  }
  return end
}
