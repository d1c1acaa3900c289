import { freeArrays } from '../text/typed-arrays.ts'

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

/** Phrases found, with what they would save. */
export interface FoundPhrases extends PhraseSource {
  /** Net tokens that each phrase would save if all its places could be used. */
  readonly best: Int32Array
}

/** A set of some of a set's phrases, with the number that each slot and phrase has there. */
export interface RestrictedSet extends PhraseSet {
  readonly slotOf: Int32Array
  readonly phraseOf: Int32Array
}

/** Keeps the phrases marked in `kept` and their slots, but for those marked in `banned`, in their order. */
export function restrictSet(set: PhraseSet, kept: Uint8Array, banned?: Uint8Array): RestrictedSet {
  const place = new Int32Array(set.count)
  const phraseOf = new Int32Array(countMarks(kept))
  for (let phrase = 0, count = 0; phrase < set.count; phrase++) {
    if (kept[phrase] === 1) phraseOf[count] = phrase
    place[phrase] = kept[phrase] === 1 ? count++ : -1
  }
  const count = phraseOf.length
  const sizes = new Int32Array(count + 1)
  let slotCount = 0
  for (let slot = 0; slot < set.slotCount; slot++) {
    const phrase = place[set.slotPhrase[slot]!]!
    if (phrase < 0 || banned?.[slot] === 1) continue
    sizes[phrase + 1]!++
    slotCount++
  }
  const firstByPhrase = sizes
  for (let phrase = 0; phrase < count; phrase++) firstByPhrase[phrase + 1]! += firstByPhrase[phrase]!
  const filled = firstByPhrase.slice()
  const slotOf = new Int32Array(slotCount)
  const slotPhrase = new Int32Array(slotCount)
  const slotStart = new Int32Array(slotCount)
  const slotEnd = new Int32Array(slotCount)
  const slotSaved = new Int16Array(slotCount)
  const slotsByPhrase = new Int32Array(slotCount)
  const firstByEnd = new Int32Array(set.units + 2)
  for (let slot = 0, next = 0; slot < set.slotCount; slot++) {
    const phrase = place[set.slotPhrase[slot]!]!
    if (phrase < 0 || banned?.[slot] === 1) continue
    slotOf[next] = slot
    slotPhrase[next] = phrase
    slotStart[next] = set.slotStart[slot]!
    slotEnd[next] = set.slotEnd[slot]!
    slotSaved[next] = set.slotSaved[slot]!
    slotsByPhrase[filled[phrase]!++] = next
    firstByEnd[set.slotEnd[slot]! + 1] = ++next
  }
  for (let end = 1; end < firstByEnd.length; end++) {
    if (firstByEnd[end]! < firstByEnd[end - 1]!) firstByEnd[end] = firstByEnd[end - 1]!
  }
  freeArrays(place, filled)
  return {
    count,
    units: set.units,
    sample: pick(set.sample, phraseOf),
    length: pick(set.length, phraseOf),
    cost: Float64Array.from(pick(set.cost, phraseOf)),
    floor: pick(set.floor, phraseOf),
    slotCount,
    slotStart,
    slotEnd,
    slotPhrase,
    slotSaved,
    firstByEnd,
    firstByPhrase,
    slotsByPhrase,
    glue: set.glue,
    slotOf,
    phraseOf,
  }
}

/** The same slots over those boundaries only at which one begins or ends: shorter to cover, no unit numbers any more. */
export function packBoundaries<Set extends PhraseSet>(set: Set): Set {
  const place = new Int32Array(set.units + 1)
  for (let slot = 0; slot < set.slotCount; slot++) {
    place[set.slotStart[slot]!] = 1
    place[set.slotEnd[slot]!] = 1
  }
  let units = 0
  for (let boundary = 1; boundary <= set.units; boundary++) {
    units += place[boundary]!
    place[boundary] = units
  }
  place[0] = 0
  const slotStart = new Int32Array(set.slotCount)
  const slotEnd = new Int32Array(set.slotCount)
  const firstByEnd = new Int32Array(units + 2)
  for (let slot = 0; slot < set.slotCount; slot++) {
    slotStart[slot] = place[set.slotStart[slot]!]!
    slotEnd[slot] = place[set.slotEnd[slot]!]!
    firstByEnd[slotEnd[slot]! + 1] = slot + 1
  }
  for (let end = 1; end < firstByEnd.length; end++) {
    if (firstByEnd[end]! < firstByEnd[end - 1]!) firstByEnd[end] = firstByEnd[end - 1]!
  }
  const glue = new Int32Array(units + 1)
  for (let boundary = set.units; boundary >= 0; boundary--) glue[place[boundary]!] = set.glue[boundary]!
  freeArrays(place)
  return { ...set, units, slotStart, slotEnd, firstByEnd, glue }
}

function pick(values: Int32Array | Float64Array, places: Int32Array): Int32Array {
  const picked = new Int32Array(places.length)
  for (let place = 0; place < places.length; place++) picked[place] = values[places[place]!]!
  return picked
}

function countMarks(marks: Uint8Array): number {
  let count = 0
  for (let place = 0; place < marks.length; place++) count += marks[place]!
  return count
}
