import { isMarkCodePoint, isWordCodePoint } from '../../decode/word-edge.ts'
import { isAssignedInUnicode15 } from './unicode-15.ts'

/** What a code point is to the lexer; bits. */
export const CharKind = {
  /** In W: part of a word run (SPEC.md, word characters). */
  word: 1,
  newline: 2,
  space: 4,
  /** No term may stand before it: a combining mark, or unassigned in Unicode 15. */
  notAfterTerm: 8,
  /** No term may stand after it: unassigned in Unicode 15. */
  notBeforeTerm: 16,
} as const

/** Kind of the code point; looked up once per code point of the basic plane. */
export function kindOfChar(codePoint: number): number {
  if (codePoint > 0xffff) return computeKind(codePoint)
  const known = KINDS[codePoint]!
  if (known !== 0) return known - 1
  const kind = computeKind(codePoint)
  KINDS[codePoint] = kind + 1
  return kind
}

const KINDS = new Uint8Array(0x10000)

function computeKind(codePoint: number): number {
  if (codePoint === 10 || codePoint === 13) return CharKind.newline
  if (codePoint === 32) return CharKind.space
  if (!isAssignedInUnicode15(codePoint)) return CharKind.notAfterTerm | CharKind.notBeforeTerm
  return (
    (isWordCodePoint(codePoint) ? CharKind.word : 0) |
    (isMarkCodePoint(codePoint) ? CharKind.notAfterTerm : 0)
  )
}
