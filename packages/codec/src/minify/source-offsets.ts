import type { PatchRow } from './types.ts'

/**
 * Creates a function that returns where a place of a minified text is in its source, in logarithmic
 * time: what was inserted before a place comes before it, and a place inside of what was replaced
 * is where that begins. Offsets are in UTF-16 units.
 *
 * @param patch in ascending order, as every patch of the codec
 */
export function createSourceOffsets(patch: readonly PatchRow[]): (offset: number) => number {
  let shift = 0
  const shifts = patch.map(([, removed, inserted]) => (shift += inserted.length - removed))
  return (offset) => {
    let low = 0
    let high = patch.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (patch[middle]![0] + patch[middle]![1] <= offset) low = middle + 1
      else high = middle
    }
    return Math.min(offset, patch[low]?.[0] ?? offset) + (shifts[low - 1] ?? 0)
  }
}
