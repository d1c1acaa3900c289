import type { EdgeCosts } from '../cost/edge-costs.ts'
import { freeArrays } from '../text/free-arrays.ts'
import type { Units } from '../text/lex-units.ts'
import type { UseRule } from './use-rule.ts'

/**
 * Phrases that may become entries, with every place where each may be used.
 *
 * A *slot* is one such place; slots are numbered by rising end. Lists are flat: `x[firstX[k]]` up to `x[firstX[k + 1] - 1]`.
 */
export interface PhraseSet {
  readonly count: number
  /** Units of the text. */
  readonly units: number
  /** First unit of one appearance of each phrase, and its length in units. */
  readonly sample: Int32Array
  readonly length: Int32Array
  /** Tokens each phrase takes in the header. */
  readonly cost: Float64Array
  /** Net tokens that an entry of each phrase must bring. */
  readonly floor: Int32Array
  readonly slotCount: number
  /** Unit boundaries where each slot begins and ends. */
  readonly slotStart: Int32Array
  readonly slotEnd: Int32Array
  readonly slotPhrase: Int32Array
  /** Tokens that each slot saves when it is used: a phrase has 4096 UTF-16 units at most, so fewer than 12,289. */
  readonly slotSaved: Int16Array
  /** Slots by their end: index by unit boundary, one more than boundaries. */
  readonly firstByEnd: Int32Array
  /** Slots by their phrase, rising. */
  readonly firstByPhrase: Int32Array
  readonly slotsByPhrase: Int32Array
  /** Extra tokens saved by a use that follows another one at once, by unit boundary; `NO_GLUE` where that cannot be. */
  readonly glue: Int32Array
}

/** Forbids two uses side by side. */
export const NO_GLUE: number = -1_000_000

/** Where the slots of one phrase come from: places `from` up to `to` (excluded) of a list of first units. */
export interface PhraseSource {
  readonly sample: Int32Array
  readonly length: Int32Array
  readonly cost: Float64Array
  readonly floor: Int32Array
  /** Tokens that each phrase's term takes beyond one. */
  readonly extra: Int32Array
  readonly from: Int32Array
  readonly to: Int32Array
  readonly places: Int32Array
}

/** Gathers the slots of `source`, leaving out uses that save nothing or that `uses` does not allow. */
export function buildPhraseSet(
  source: PhraseSource,
  edges: EdgeCosts,
  uses: UseRule,
  canTouch: boolean,
): PhraseSet {
  const { sample, length, cost, floor, extra, from, to, places } = source
  const { begins, ends } = edges
  const units = begins.length - 1
  const count = sample.length
  const firstByEnd = new Int32Array(units + 2)
  const firstByPhrase = new Int32Array(count + 1)
  for (let phrase = 0; phrase < count; phrase++) {
    for (let place = from[phrase]!; place < to[phrase]!; place++) {
      const begin = places[place]!
      const end = begin + length[phrase]!
      if (ends[end]! - extra[phrase]! <= begins[begin]! || !uses.allows(begin, end)) continue
      firstByEnd[end + 1]!++
      firstByPhrase[phrase + 1]!++
    }
  }
  for (let end = 0; end <= units; end++) firstByEnd[end + 1]! += firstByEnd[end]!
  for (let phrase = 0; phrase < count; phrase++) firstByPhrase[phrase + 1]! += firstByPhrase[phrase]!

  const slotCount = firstByPhrase[count]!
  const slotStart = new Int32Array(slotCount)
  const slotEnd = new Int32Array(slotCount)
  const slotPhrase = new Int32Array(slotCount)
  const slotSaved = new Int16Array(slotCount)
  const next = firstByEnd.slice()
  for (let phrase = 0; phrase < count; phrase++) {
    for (let place = from[phrase]!; place < to[phrase]!; place++) {
      const begin = places[place]!
      const end = begin + length[phrase]!
      if (ends[end]! - extra[phrase]! <= begins[begin]! || !uses.allows(begin, end)) continue
      const slot = next[end]!++
      slotStart[slot] = begin
      slotEnd[slot] = end
      slotPhrase[slot] = phrase
      slotSaved[slot] = ends[end]! - begins[begin]! - extra[phrase]!
    }
  }
  freeArrays(next)
  const slotsByPhrase = new Int32Array(slotCount)
  const filled = firstByPhrase.slice()
  for (let slot = 0; slot < slotCount; slot++) slotsByPhrase[filled[slotPhrase[slot]!]!++] = slot
  freeArrays(filled)

  const glue = new Int32Array(units + 1).fill(NO_GLUE)
  if (canTouch) glue.set(edges.glue)
  return {
    count,
    units,
    sample,
    length,
    cost,
    floor,
    slotCount,
    slotStart,
    slotEnd,
    slotPhrase,
    slotSaved,
    firstByEnd,
    firstByPhrase,
    slotsByPhrase,
    glue,
  }
}

/** The text that a phrase stands for. */
export function textOf(
  { set, units }: { readonly set: PhraseSet; readonly units: Units },
  phrase: number,
): string {
  const begin = set.sample[phrase]!
  return units.text.slice(units.starts[begin], units.starts[begin + set.length[phrase]!])
}
