import { classAt, NUMBER, widthOf } from './char-classes.ts'

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

/** End of `'(?:[sS]|[dD]|[mM]|[tT]|[lL][lL]|[vV][eE]|[rR][eE])` at byte `at`; `at` itself where there is none. */
export function endOfContraction(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== APOSTROPHE) return at
  const second = bytes[at + 1]! | LOWER_CASE
  if (second === S || second === D || second === M || second === T) return at + 2
  if (second !== L && second !== V && second !== R) return at
  const third = bytes[at + 2]! | LOWER_CASE
  return third === (second === L ? L : E) ? at + 3 : at
}

/** End of `\p{N}{1,3}` at byte `at`, where a number stands. */
export function endOfNumber(bytes: Uint8Array, at: number): number {
  let end = at + widthOf(bytes[at]!)
  if (classAt(bytes, end) & NUMBER) {
    end += widthOf(bytes[end]!)
    if (classAt(bytes, end) & NUMBER) end += widthOf(bytes[end]!)
  }
  return end
}
