import { findFirst } from '../binary-search.ts'
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
    const row = findFirst(patch.length, (at) => patch[at]![0] + patch[at]![1] > offset)
    return Math.min(offset, patch[row]?.[0] ?? offset) + (shifts[row - 1] ?? 0)
  }
}
