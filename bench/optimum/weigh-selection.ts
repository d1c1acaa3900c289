import { NO_GLUE, type PhraseSet } from '../../packages/codec/src/compress/candidates/phrase-set.ts'

/** What slots in use are worth. */
export interface Weight {
  /** Net tokens saved. */
  readonly value: number
  /** Phrases whose uses do not bring their cost and floor. */
  readonly short: readonly number[]
}

/**
 * Weighs a selection from its slots alone (rising).
 *
 * @throws {RangeError} if uses overlap, or touch where that cannot be.
 */
export function weighSelection(set: PhraseSet, slots: Iterable<number>): Weight {
  const gross = new Map<number, number>()
  let last = -1
  for (const slot of slots) {
    const begin = set.slotStart[slot]!
    const glue = begin === last ? set.glue[begin]! : 0
    if (begin < last || glue === NO_GLUE) throw new RangeError(`Uses overlap or touch at unit ${begin}`)
    last = set.slotEnd[slot]!
    const phrase = set.slotPhrase[slot]!
    gross.set(phrase, (gross.get(phrase) ?? 0) + set.slotSaved[slot]! + glue)
  }
  let value = 0
  const short: number[] = []
  for (const [phrase, saved] of gross) {
    value += saved - set.cost[phrase]!
    if (saved < set.cost[phrase]! + set.floor[phrase]!) short.push(phrase)
  }
  return { value, short }
}
