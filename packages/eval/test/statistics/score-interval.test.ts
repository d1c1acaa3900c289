import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isAboveMargin, type PairCounts, scoreInterval } from '../../src/statistics/compare-pairs.ts'

/** Published intervals: both right, only the first, only the second, neither; ends; digits that are printed. */
const PUBLISHED: readonly (readonly [string, readonly number[], readonly number[], number])[] = [
  ['Tango 1998, 6.2: sleeping difficulties (Karacan et al.)', [4, 9, 3, 16], [-0.027, 0.39], 3],
  ['Agresti & Min 2005, Stat Med 24:729-740', [53, 16, 8, 9], [-0.02, 0.207], 3],
  ['Fagerland et al. 2014, table V: airways (Bentur et al. 2009)', [1, 1, 7, 12], [-0.517, -0.026], 3],
  ['contingencytables, test-ch8.R: response (Cavo et al. 2012)', [59, 6, 16, 80], [-0.124, -0.0054], 4],
  ['Tang et al. 2010', [8, 3, 1, 2], [-0.167, 0.4327], 4],
  ['Chang et al. 2024', [7, 25, 2, 68], [0.139, 0.321], 3],
]

const counts = ([both, onlyArm, onlySource, neither]: readonly number[]): PairCounts => ({
  both: both!,
  onlyArm: onlyArm!,
  onlySource: onlySource!,
  neither: neither!,
})
const cell = fc.integer({ min: 0, max: 60 })
const tables = fc.tuple(cell, cell, cell, cell).map(counts)
const total = ({ both, onlyArm, onlySource, neither }: PairCounts): number =>
  both + onlyArm + onlySource + neither

describe('scoreInterval', () => {
  // All but the fourth stand in the tests of the R package ratesci (test3.R) as published.
  it.each(PUBLISHED)('gives the interval of %s', (_, cells, ends, digits) => {
    const found = scoreInterval(counts(cells))
    expect(found.map((end) => Number(end.toFixed(digits)))).toEqual(ends)
  })

  it('has the difference seen within, and itself within -1 and 1', () => {
    fc.assert(
      fc.property(tables, (pairs) => {
        const [low, high] = scoreInterval(pairs)
        const difference = (pairs.onlyArm - pairs.onlySource) / Math.max(1, total(pairs))
        expect(low).toBeGreaterThanOrEqual(-1)
        expect(low).toBeLessThanOrEqual(difference)
        expect(high).toBeGreaterThanOrEqual(difference)
        expect(high).toBeLessThanOrEqual(1)
      }),
    )
  })

  it('is narrower with more pairs', () => {
    const sized = tables.filter((pairs) => total(pairs) > 0)
    fc.assert(
      fc.property(sized, (pairs) => {
        const width = (table: PairCounts): number => {
          const [low, high] = scoreInterval(table)
          return high - low
        }
        const tenfold = counts(
          [pairs.both, pairs.onlyArm, pairs.onlySource, pairs.neither].map((count) => 10 * count),
        )
        expect(width(tenfold)).toBeLessThan(width(pairs))
      }),
    )
  })

  it('is valid without a discordant pair, with one question, with discordant pairs only, and with nothing', () => {
    // Without a discordant pair the statistic is √(n·m / (1 - m)), so that the ends are ±z² / (n + z²).
    const end = (n: number): number => 1.959963984540054 ** 2 / (n + 1.959963984540054 ** 2)
    for (const n of [1, 5, 120]) {
      const [low, high] = scoreInterval({ both: n, onlyArm: 0, onlySource: 0, neither: 0 })
      expect(low).toBeCloseTo(-end(n), 12)
      expect(high).toBeCloseTo(end(n), 12)
    }
    const [low, high] = scoreInterval({ both: 0, onlyArm: 0, onlySource: 5, neither: 0 })
    expect(low).toBe(-1)
    expect(high).toBeGreaterThan(-1)
    expect(high).toBeLessThan(0)
    expect(scoreInterval({ both: 0, onlyArm: 5, onlySource: 0, neither: 0 })).toEqual([-high, 1])
    expect(scoreInterval({ both: 0, onlyArm: 0, onlySource: 0, neither: 0 })).toEqual([-1, 1])
  })
})

it('tests a margin as the end of the interval does', () => {
  const different: unknown[] = []
  for (let questions = 1; questions <= 40; questions++)
    for (let onlyArm = 0; onlyArm <= questions; onlyArm++)
      for (let onlySource = 0; onlySource <= questions - onlyArm; onlySource++) {
        const pairs = { both: questions - onlyArm - onlySource, onlyArm, onlySource, neither: 0 }
        const [low] = scoreInterval(pairs)
        for (const margin of [0.03, 0.1, 0.25])
          if (isAboveMargin(pairs, margin) !== low > -margin) different.push({ pairs, low, margin })
      }
  expect(different).toEqual([])
  // Tango 1998, 6.1: Z(0.1) = 1.709, so that a margin of 10 points is not kept at 2.5 %.
  expect(isAboveMargin({ both: 43, onlyArm: 0, onlySource: 1, neither: 0 }, 0.1)).toBe(false)
})
