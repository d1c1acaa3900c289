import { coverText, createCover, freeCover, type CoverSpace } from './cover-text.ts'
import { freeArrays } from '../text/typed-arrays.ts'
import { type PhraseSet, packBoundaries, restrictSet, type RestrictedSet } from '../candidates/phrase-set.ts'

/** Entries that pay, and the slots that use them. */
export interface Selection {
  /** Net tokens saved under the cost model. */
  readonly value: number
  /** Rising. */
  readonly slots: Int32Array
  /** Phrases in use, each with what its uses save. */
  readonly gross: ReadonlyMap<number, number>
}

export const EMPTY_SELECTION: Selection = { value: 0, slots: new Int32Array(0), gross: new Map() }

const MAX_ROUNDS = 14

/**
 * Makes a selection of the phrases marked in `wanted`: covers the text with them and drops those that do not pay for their
 * header.
 *
 * @param banned Slots that must stay unused, marked 1.
 */
export function settleEntries(set: PhraseSet, wanted: Uint8Array, banned?: Uint8Array): Selection {
  const kept = restrictSet(set, wanted, banned)
  const part = packBoundaries(kept)
  freeArrays(kept.slotStart, kept.slotEnd, kept.firstByEnd)
  const cover = createCover(part.units)
  const weights = new Float32Array(part.slotSaved)
  const gross = new Float64Array(part.count)
  const selection = dropLosers(part, cover, weights, gross)
  freeCover(cover)
  freeArrays(part.slotStart, part.slotEnd, part.firstByEnd, part.glue)
  freeArrays(part.slotPhrase, part.slotSaved, part.slotsByPhrase, part.slotOf, weights)
  return selection
}

/** Drops those that do not pay, worst first, a third at a time, and covers again until all pay. */
function dropLosers(
  part: RestrictedSet,
  cover: CoverSpace,
  weights: Float32Array,
  gross: Float64Array,
): Selection {
  for (let round = 0; ; round++) {
    coverText(part, weights, cover)
    let value = sumGross(part, cover.used, cover.usedCount, gross)
    const losers: number[] = []
    for (let phrase = 0; phrase < part.count; phrase++) {
      if (gross[phrase] === 0) continue
      value -= part.cost[phrase]!
      if (gross[phrase]! < part.cost[phrase]! + part.floor[phrase]!) losers.push(phrase)
    }
    if (losers.length === 0) {
      const slots = cover.used.slice(0, cover.usedCount).reverse()
      const paying = new Map<number, number>()
      for (let phrase = 0; phrase < part.count; phrase++) {
        if (gross[phrase] !== 0) paying.set(part.phraseOf[phrase]!, gross[phrase]!)
      }
      return { value, slots: slots.map((slot) => part.slotOf[slot]!), gross: paying }
    }
    losers.sort((a, b) => gross[a]! - part.cost[a]! - (gross[b]! - part.cost[b]!))
    const dropped = round >= MAX_ROUNDS ? losers.length : Math.ceil(losers.length / 3)
    for (const phrase of losers.slice(0, dropped)) {
      for (let at = part.firstByPhrase[phrase]!; at < part.firstByPhrase[phrase + 1]!; at++) {
        weights[part.slotsByPhrase[at]!] = -Infinity
      }
    }
  }
}

/** Marks for {@link settleEntries}. */
export function markPhrases(set: PhraseSet, phrases: Iterable<number>): Uint8Array {
  const marks = new Uint8Array(set.count)
  for (const phrase of phrases) marks[phrase] = 1
  return marks
}

function sumGross(set: PhraseSet, used: Int32Array, usedCount: number, gross: Float64Array): number {
  gross.fill(0)
  let sum = 0
  for (let place = 0; place < usedCount; place++) {
    const slot = used[place]!
    const begin = set.slotStart[slot]!
    const touches = place + 1 < usedCount && begin === set.slotEnd[used[place + 1]!]!
    const saved = set.slotSaved[slot]! + (touches ? set.glue[begin]! : 0)
    gross[set.slotPhrase[slot]!]! += saved
    sum += saved
  }
  return sum
}
