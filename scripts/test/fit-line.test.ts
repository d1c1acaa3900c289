import { describe, expect, it } from 'vitest'
import { fitLine, type Sample } from '../fit-line.ts'

const sample = (size: number, repetition: number, net: number): Sample => ({
  folder: 'a',
  size,
  repetition,
  net,
})

describe('fitLine', () => {
  it('finds one slope and an offset for each size', () => {
    const exact = [sample(0, 0.1, 5), sample(0, 0.3, 13), sample(2, 0.2, 19), sample(2, 0.4, 27)]
    const { slope, offsets, spread } = fitLine(exact, 4, 1, 2)
    expect(slope).toBeCloseTo(40)
    // Size 1 has no samples and takes what size 0 has, size 3 what size 2 has.
    expect(offsets.map((offset) => Number(offset.toFixed(6)))).toEqual([1, 1, 11, 11])
    expect(spread).toBeCloseTo(0)
  })

  it('spreads as far as the part of the samples asks, in proportion to savings and margin', () => {
    const nets = [8, 9, 10, 10, 10, 10, 10, 10, 11, 12]
    const flat = nets.map((net) => sample(0, 0.2, net))
    const { slope, offsets, spread, holds } = fitLine(flat, 1, 0.8, 2)
    expect([slope, offsets]).toEqual([0, [10]])
    expect(spread).toBeCloseTo(1 / 12)
    expect(flat.filter(holds)).toHaveLength(8)
    expect(fitLine(flat, 1, 1, 2).spread).toBeCloseTo(2 / 12)
  })
})
