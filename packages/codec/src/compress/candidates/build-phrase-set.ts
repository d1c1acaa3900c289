import type { EdgeCosts } from '../cost/edge-costs.ts'
import { freeArrays } from '../text/typed-arrays.ts'
import type { Units } from '../text/lex-units.ts'
import { NO_GLUE, type PhraseSet, type PhraseSource } from './phrase-set.ts'
import type { UseRule } from './candidate-rules.ts'

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
