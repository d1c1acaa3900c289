import type { Pieces } from './types.ts'

/** Collects pieces into typed arrays that grow. */
export interface PieceList {
  push(end: number, count: number): void
  /** The pieces collected, in arrays of their exact length. */
  take(): Pieces
}

const UNITS_PER_PIECE = 4

/** Creates a {@link PieceList} for a text of `units` UTF-16 units. */
export function createPieceList(units: number): PieceList {
  let ends = new Uint32Array(Math.ceil(units / UNITS_PER_PIECE) + 16)
  let counts = new Uint32Array(ends.length)
  let size = 0
  return {
    push(end, count) {
      if (size === ends.length) {
        ends = grow(ends)
        counts = grow(counts)
      }
      ends[size] = end
      counts[size++] = count
    },
    take() {
      return { ends: ends.slice(0, size), counts: counts.slice(0, size) }
    },
  }
}

function grow(numbers: Uint32Array): Uint32Array<ArrayBuffer> {
  const grown = new Uint32Array(numbers.length * 2)
  grown.set(numbers)
  return grown
}
