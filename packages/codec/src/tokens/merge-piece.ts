import { mergeLong } from './merge-long.ts'
import { mergeShort, SHORT_PIECE } from './merge-short.ts'
import type { Tokens } from './token-run.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Tokens that byte-pair encoding gives for the bytes of a piece. Valid until the next merge. */
export function mergePiece(bytes: Uint8Array, from: number, to: number, vocabulary: Vocabulary): Tokens {
  return to - from <= SHORT_PIECE
    ? mergeShort(bytes, from, to, vocabulary)
    : mergeLong(bytes, from, to, vocabulary)
}
