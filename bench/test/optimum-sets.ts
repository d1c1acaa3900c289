import fc from 'fast-check'
import { NO_GLUE, type PhraseSet } from '../../packages/codec/src/compress/candidates/phrase-set.ts'

const UNITS = 10

/** Small sets of phrases, with uses that overlap, that overlap themselves, that may not touch and that gain by it. */
export function optimumSets(): fc.Arbitrary<PhraseSet> {
  const phrase = fc.record({
    length: fc.integer({ min: 1, max: 4 }),
    cost: fc.integer({ min: 1, max: 4 }),
    floor: fc.integer({ min: 0, max: 2 }),
    places: fc.uniqueArray(fc.integer({ min: 0, max: UNITS - 1 }), { minLength: 1, maxLength: 4 }),
    saved: fc.integer({ min: 1, max: 3 }),
  })
  const glue = fc.array(fc.constantFrom(0, 0, 0, 1, 2, -1, NO_GLUE), {
    minLength: UNITS + 1,
    maxLength: UNITS + 1,
  })
  return fc.tuple(fc.array(phrase, { minLength: 1, maxLength: 4 }), glue).map(([phrases, glues]) => {
    const slots = phrases
      .flatMap(({ length, places, saved }, index) =>
        places.map((start) => ({ phrase: index, start, end: start + length, saved })),
      )
      .filter(({ end }) => end <= UNITS)
      .sort((a, b) => a.end - b.end)
    const byPhrase = phrases.map((_, index) =>
      slots.flatMap((slot, at) => (slot.phrase === index ? [at] : [])),
    )
    const countUpTo = (test: (slot: (typeof slots)[number]) => boolean): number => slots.filter(test).length
    return {
      count: phrases.length,
      units: UNITS,
      sample: new Int32Array(phrases.length),
      length: Int32Array.from(phrases, ({ length }) => length),
      cost: Float64Array.from(phrases, ({ cost }) => cost),
      floor: Int32Array.from(phrases, ({ floor }) => floor),
      slotCount: slots.length,
      slotStart: Int32Array.from(slots, ({ start }) => start),
      slotEnd: Int32Array.from(slots, ({ end }) => end),
      slotPhrase: Int32Array.from(slots, ({ phrase: index }) => index),
      slotSaved: Int16Array.from(slots, ({ saved }) => saved),
      firstByEnd: Int32Array.from({ length: UNITS + 2 }, (_, end) => countUpTo((slot) => slot.end < end)),
      firstByPhrase: Int32Array.from({ length: phrases.length + 1 }, (_, index) =>
        countUpTo((slot) => slot.phrase < index),
      ),
      slotsByPhrase: Int32Array.from(byPhrase.flat()),
      glue: Int32Array.from(glues),
    }
  })
}
