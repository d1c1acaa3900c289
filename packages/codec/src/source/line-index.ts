import type { Place } from './types.ts'

/** Turns UTF-16 offsets of a text into lines and columns; `\n`, `\r\n` and a lone `\r` end a line. */
export interface LineIndex {
  /** Line and column, both from 1; a byte-order mark has no column. */
  placeAt(offset: number): Place
}

/** Finds the lines of `text` once, so that each place takes a binary search. */
export function createLineIndex(text: string): LineIndex {
  const starts = [0]
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x0a || (unit === 0x0d && text.charCodeAt(at + 1) !== 0x0a)) starts.push(at + 1)
  }
  const hasMark = text.charCodeAt(0) === 0xfeff
  return {
    placeAt(offset) {
      let low = 0
      let high = starts.length - 1
      while (low < high) {
        const middle = (low + high + 1) >> 1
        if ((starts[middle] ?? 0) <= offset) low = middle
        else high = middle - 1
      }
      const column = offset - (starts[low] ?? 0) + 1
      return { line: low + 1, column: low === 0 && hasMark ? Math.max(1, column - 1) : column }
    },
  }
}
