import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { coverText, createCover } from '../../../src/compress/selection/cover-text.ts'
import { buildPhraseSet } from '../../../src/compress/candidates/build-phrase-set.ts'
import { NO_GLUE, type PhraseSet, packBoundaries } from '../../../src/compress/candidates/phrase-set.ts'
import { selectPhrases } from '../../../src/compress/selection/select-phrases.ts'

const UNITS = 8

interface Place {
  readonly phrase: number
  readonly begin: number
}

/** Small problems: up to four phrases of one to three units, what each boundary costs, side-by-side uses cheaper or dearer. */
const problem = fc.record({
  lengths: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 4 }),
  costs: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 4, maxLength: 4 }),
  begins: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: UNITS + 1, maxLength: UNITS + 1 }),
  ends: fc.array(fc.integer({ min: 2, max: 8 }), { minLength: UNITS + 1, maxLength: UNITS + 1 }),
  glue: fc.array(fc.integer({ min: -2, max: 2 }), { minLength: UNITS + 1, maxLength: UNITS + 1 }),
  canTouch: fc.boolean(),
  hidden: fc.array(fc.boolean(), { minLength: 32, maxLength: 32 }),
})

type Problem = typeof problem extends fc.Arbitrary<infer Value> ? Value : never

function buildSet({ lengths, costs, begins, ends, glue, canTouch, hidden }: Problem): PhraseSet {
  const places: number[] = []
  const from: number[] = []
  const to: number[] = []
  for (const [phrase, length] of lengths.entries()) {
    from.push(places.length)
    for (let begin = 0; begin + length <= UNITS; begin++)
      if (!hidden[phrase * UNITS + begin]) places.push(begin)
    to.push(places.length)
  }
  const source = {
    sample: Int32Array.from(from, (at) => places[at] ?? 0),
    length: Int32Array.from(lengths),
    cost: Float64Array.from(lengths, (_, phrase) => costs[phrase]!),
    floor: new Int32Array(lengths.length).fill(1),
    extra: new Int32Array(lengths.length),
    from: Int32Array.from(from),
    to: Int32Array.from(to),
    places: Int32Array.from(places),
  }
  const edges = {
    total: 100,
    begins: Int32Array.from(begins),
    ends: Int32Array.from(ends),
    glue: Int8Array.from(glue),
  }
  return buildPhraseSet(source, edges, { allows: () => true }, canTouch)
}

/** Best net value over every choice of slots that do not overlap, by trying all. */
function searchBest(set: PhraseSet, price: (used: readonly Place[], gross: number) => number): number {
  let best = 0
  const walk = (slot: number, end: number, used: readonly Place[], gross: number): void => {
    best = Math.max(best, price(used, gross))
    for (let next = slot; next < set.slotCount; next++) {
      const begin = set.slotStart[next]!
      if (begin < end) continue
      const glue = used.length > 0 && begin === end ? set.glue[begin]! : 0
      if (glue === NO_GLUE) continue
      const place = { phrase: set.slotPhrase[next]!, begin }
      walk(next + 1, set.slotEnd[next]!, [...used, place], gross + set.slotSaved[next]! + glue)
    }
  }
  walk(0, 0, [], 0)
  return best
}

describe('coverText', () => {
  it('finds the best cover, on all boundaries and on packed ones', () => {
    fc.assert(
      fc.property(problem, (values) => {
        const set = buildSet(values)
        const best = searchBest(set, (_, gross) => gross)
        for (const view of [set, packBoundaries(set)]) {
          expect(coverText(view, new Float32Array(view.slotSaved), createCover(view.units))).toBe(best)
        }
      }),
      { numRuns: 1000 },
    )
  })
})

describe('selectPhrases', () => {
  it('stays at or below the best selection, and its bound at or above', () => {
    let reached = 0
    let runs = 0
    fc.assert(
      fc.property(problem, (values) => {
        const set = buildSet(values)
        const best = searchBest(set, (used, gross) => {
          const phrases = new Set(used.map(({ phrase }) => phrase))
          return gross - [...phrases].reduce((sum, phrase) => sum + set.cost[phrase]!, 0)
        })
        const { value, bound, slots, gross } = selectPhrases(set, 60)
        expect(value).toBeLessThanOrEqual(best)
        expect(bound).toBeGreaterThanOrEqual(best - 1e-4)
        expect(slots.length === 0).toBe(gross.size === 0)
        runs++
        if (value === best) reached++
      }),
      { numRuns: 1000 },
    )
    expect(reached / runs).toBeGreaterThan(0.9)
  })

  it('uses no more terms than there are, and its bound is for all selections that do not either', () => {
    let reached = 0
    let runs = 0
    const limits = fc.record({ count: fc.integer({ min: 1, max: 3 }), price: fc.integer({ min: 0, max: 4 }) })
    fc.assert(
      fc.property(problem, limits, (values, limit) => {
        const set = buildSet(values)
        const best = searchBest(set, (used, gross) => {
          const phrases = new Set(used.map(({ phrase }) => phrase))
          if (phrases.size > limit.count) return 0
          return gross - [...phrases].reduce((sum, phrase) => sum + set.cost[phrase]!, 0)
        })
        const { value, bound, gross } = selectPhrases(set, 60, limit)
        expect(gross.size).toBeLessThanOrEqual(limit.count)
        expect(value).toBeLessThanOrEqual(best)
        expect(bound).toBeGreaterThanOrEqual(best - 1e-4)
        runs++
        if (limit.price === 0 && value === best) reached++
      }),
      { numRuns: 1000 },
    )
    expect(reached / runs).toBeGreaterThan(0.1)
  })
})
