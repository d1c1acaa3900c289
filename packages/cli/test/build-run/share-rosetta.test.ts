import { describe, expect, it } from 'vitest'
import { findBreakEven, sumLoads, type Load } from '../../src/build-run/share-rosetta.ts'

const load = (packs: number, apart: number, shared: number): Load => ({ packs, source: 0, apart, shared })

describe('sumLoads', () => {
  it('sums contents with their own headers, and contents with the shared header once', () => {
    expect(
      sumLoads([
        { source: 100, apart: 90, content: 70, header: 25 },
        { source: 200, apart: 150, content: 120, header: 40 },
      ]),
    ).toEqual([
      { packs: 1, source: 100, apart: 90, shared: 95 },
      { packs: 2, source: 300, apart: 240, shared: 230 },
    ])
  })

  it('returns no loads for no packs', () => {
    expect(sumLoads([])).toEqual([])
  })
})

describe('findBreakEven', () => {
  it.each([
    ['the first pack', [load(1, 10, 9), load(2, 20, 18)], 1],
    ['the pack after the last one that takes more', [load(1, 10, 9), load(2, 20, 21), load(3, 30, 29)], 3],
    ['none if all packs together take more', [load(1, 10, 9), load(2, 20, 21)], null],
    ['none if all packs together take as many', [load(1, 10, 10)], null],
    ['none for no packs', [], null],
  ])('finds %s', (_, loads, packs) => {
    expect(findBreakEven(loads)).toBe(packs)
  })
})
