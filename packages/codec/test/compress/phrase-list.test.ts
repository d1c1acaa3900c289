import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PhraseList } from '../../src/compress/phrase-list.ts'

const MOST = 16

function listAll(bests: readonly number[], most: number): PhraseList {
  const list = new PhraseList(most)
  for (const [from, best] of bests.entries())
    list.push({ from, to: from + 2, length: 3, cost: 4, floor: 1, best })
  return list
}

describe('PhraseList', () => {
  it('keeps all phrases above its cut and none below, whatever their order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 100 }), (bests) => {
        const list = listAll(bests, MOST)
        const kept = bests.flatMap((best, from) => (best > list.cut ? [from] : []))
        expect([...list.values('from')]).toEqual(kept)
        expect([...list.values('best')]).toEqual(kept.map((from) => bests[from]))
        expect([...list.values('to')]).toEqual(kept.map((from) => from + 2))
      }),
    )
  })

  it('keeps the best ones when there are too many', () => {
    const list = listAll(
      Array.from({ length: 1000 }, (_, at) => (at * 7) % 1000),
      MOST,
    )
    expect(list.values('best').length).toBeLessThanOrEqual(MOST)
    expect(list.values('best').length).toBeGreaterThanOrEqual(MOST / 2)
    expect(list.cut).toBe(999 - list.values('best').length)
  })

  it('makes room where all save the same', () => {
    expect(listAll(Array<number>(1000).fill(5), MOST).values('from').length).toBe(1000)
  })
})
