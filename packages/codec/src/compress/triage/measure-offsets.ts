import type { Pieces } from '../../tokens/types.ts'

/** Tokens before each of `offsets` (UTF-16, rising); those of a pre-token are spread evenly over it. */
export function measureOffsets({ ends, counts }: Pieces, offsets: ArrayLike<number>): Float64Array {
  const tokens = new Float64Array(offsets.length)
  let piece = 0
  let start = 0
  let before = 0
  for (let at = 0; at < offsets.length; at++) {
    const offset = offsets[at]!
    while (piece < ends.length && ends[piece]! <= offset) {
      before += counts[piece]!
      start = ends[piece++]!
    }
    const part = piece < ends.length ? (offset - start) / (ends[piece]! - start) : 0
    tokens[at] = before + (part > 0 ? part * counts[piece]! : 0)
  }
  return tokens
}

/** Tokens in ranges `[start, end)`, flat, rising and apart. */
export function sumRanges(pieces: Pieces, ranges: ArrayLike<number>): number {
  const tokens = measureOffsets(pieces, ranges)
  let sum = 0
  for (let at = 0; at < tokens.length; at += 2) sum += tokens[at + 1]! - tokens[at]!
  return sum
}
