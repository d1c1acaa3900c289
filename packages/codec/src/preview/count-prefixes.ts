import type { Tokenizer } from '../tokens/types.ts'

/** Token counts of the prefixes of one text. */
export interface PrefixCounts {
  readonly total: number
  /** Exact number of tokens of `text.slice(0, end)`. */
  count(end: number): number
  /** A lower bound of the tokens of a prefix; rises with `end` and costs a binary search. */
  atLeast(end: number): number
  /** UTF-16 units of the pre-token that `end` cuts; 0 between two pre-tokens. */
  measureCut(end: number): number
  /** An offset that no prefix of at most `tokens` tokens exceeds. */
  findLimit(tokens: number): number
}

/**
 * Splits `text` into pre-tokens once, so that counting a prefix only needs its last few.
 *
 * A cut changes only the pre-tokens next to it: they are matched from left to right, with a lookahead of one run
 * of white space.
 */
export function countPrefixes(text: string, tokenizer: Tokenizer): PrefixCounts {
  const { ends, counts } = tokenizer.splitPieces(text)
  const size = ends.length
  const sums = new Uint32Array(size + 1)
  for (let piece = 0; piece < size; piece++) sums[piece + 1] = sums[piece]! + counts[piece]!

  /** Number of pre-tokens that end at or before an offset. */
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
