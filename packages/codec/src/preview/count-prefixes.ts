import type { Tokenizer } from '../tokens/types.ts'

/** Token counts of the prefixes of one text. */
export interface PrefixCounts {
  readonly total: number
  /** Tokens of `text.slice(0, end)`, counted. */
  count(end: number): number
  /** Tokens that a prefix has at least; grows with `end` and costs a binary search. */
  atLeast(end: number): number
  /** UTF-16 units of the pre-token that `end` cuts; 0 between two. */
  measureCut(end: number): number
  /** An offset that no prefix of at most so many tokens goes beyond. */
  findLimit(tokens: number): number
}

/**
 * Splits `text` into pre-tokens once, so that a prefix costs the counting of its last few.
 *
 * A cut changes no pre-token but those it touches: they are read from left to right, looking one white-space run ahead.
 */
export function countPrefixes(text: string, tokenizer: Tokenizer): PrefixCounts {
  const { ends, counts } = tokenizer.splitPieces(text)
  const size = ends.length
  const sums = new Uint32Array(size + 1)
  for (let piece = 0; piece < size; piece++) sums[piece + 1] = sums[piece]! + counts[piece]!

  /** Number of pieces that end at or before an offset. */
  const findPieces = (offset: number): number => {
    let low = 0
    let high = size
    while (low < high) {
      const middle = (low + high) >> 1
      if (ends[middle]! <= offset) low = middle + 1
      else high = middle
    }
    return low
  }
  const findSafe = (end: number): number => {
    let edge = end
    while (edge > 0 && WHITE_SPACE.test(text[edge - 1]!)) edge--
    return Math.max(0, findPieces(edge) - 2)
  }
  return {
    total: sums[size]!,
    count(end) {
      const safe = findSafe(end)
      return sums[safe]! + tokenizer.countTokens(text.slice(safe === 0 ? 0 : ends[safe - 1]!, end))
    },
    atLeast: (end) => sums[findSafe(end)]!,
    measureCut(end) {
      const pieces = findPieces(end)
      const start = pieces === 0 ? 0 : ends[pieces - 1]!
      return start === end || pieces === size ? 0 : ends[pieces]! - start
    },
    findLimit(tokens) {
      let piece = 0
      while (piece < size && sums[piece]! <= tokens) piece++
      return size === 0 ? 0 : ends[Math.min(piece + 3, size - 1)]!
    },
  }
}

const WHITE_SPACE = /\s/
