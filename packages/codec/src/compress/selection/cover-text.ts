import { freeArrays } from '../text/typed-arrays.ts'
import type { PhraseSet } from '../candidates/phrase-set.ts'

/** Work space of {@link coverText}, kept between calls; `used[0 … usedCount - 1]` are the slots of the last cover, from the end. */
export interface CoverSpace {
  /** Best value up to each boundary where a use may begin. */
  readonly reach: Float64Array
  readonly used: Int32Array
  usedCount: number
  /** Is the last boundary best reached by a use that ends there. */
  endsInUse: boolean
  /** Best slot that ends at each boundary, and how each boundary is best reached. */
  readonly choice: Int32Array
  readonly steps: Uint8Array
}

export function createCover(units: number): CoverSpace {
  return {
    reach: new Float64Array(units + 1),
    used: new Int32Array(units + 1),
    usedCount: 0,
    endsInUse: false,
    choice: new Int32Array(units + 1),
    steps: new Uint8Array(units + 1),
  }
}

/** Gives the memory of a cover back. */
export function freeCover({ reach, used, choice, steps }: CoverSpace): void {
  freeArrays(reach, used, choice, steps)
}

const TEXT_AFTER_USE = 1
const USE_AFTER_USE = 2

/**
 * Finds the slots that do not overlap and weigh most, by dynamic programming over unit boundaries (weighted interval
 * scheduling; two states a boundary, since a use right behind another one may cost otherwise).
 *
 * @param weights Weight of each slot.
 * @returns the total weight; the slots are left in `cover.used`.
 */
export function coverText(set: PhraseSet, weights: Float32Array, cover: CoverSpace): number {
  const value = sweepBoundaries(set, weights, cover)
  traceBack(set, cover)
  return value
}

function sweepBoundaries(set: PhraseSet, weights: Float32Array, cover: CoverSpace): number {
  const { units, firstByEnd, slotStart, glue } = set
  const { reach, choice, steps } = cover
  reach[0] = 0
  let byText = 0
  let byUse = -Infinity
  let slot = firstByEnd[1]!
  for (let end = 1; end <= units; end++) {
    let step = 0
    if (byUse > byText) {
      byText = byUse
      step = TEXT_AFTER_USE
    }
    byUse = -Infinity
    let best = -1
    const stop = firstByEnd[end + 1]!
    for (; slot < stop; slot++) {
      const value = reach[slotStart[slot]!]! + weights[slot]!
      if (value > byUse) {
        byUse = value
        best = slot
      }
    }
    choice[end] = best
    const glued = byUse + glue[end]!
    if (glued > byText) {
      reach[end] = glued
      step |= USE_AFTER_USE
    } else reach[end] = byText
    steps[end] = step
  }
  cover.endsInUse = byUse > byText
  return Math.max(byText, byUse)
}

function traceBack({ units, slotStart }: PhraseSet, cover: CoverSpace): void {
  const { used, choice, steps } = cover
  let count = 0
  let at = units
  let inUse = cover.endsInUse
  while (at > 0) {
    if (inUse) {
      const last = choice[at]!
      used[count++] = last
      at = slotStart[last]!
      inUse = at > 0 && (steps[at]! & USE_AFTER_USE) !== 0
    } else {
      inUse = (steps[at]! & TEXT_AFTER_USE) !== 0
      at--
    }
  }
  cover.usedCount = count
}
