import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countFittingPacks } from '../../src/prompt/compose-prompt.ts'

const cost = (sources: readonly number[], count: number): number =>
  count === 0 ? 0 : 20 + Math.ceil(sources.slice(0, count).reduce((sum, tokens) => sum + 0.7 * tokens + 8, 0))

test('finds as many packs as fit', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(500), { maxLength: 60 }), fc.nat(8000), (sources, budget) => {
      const found = countFittingPacks(
        sources.length,
        (at) => sources[at]!,
        budget,
        (count) => cost(sources, count),
      )
      expect(cost(sources, found)).toBeLessThanOrEqual(budget)
      expect(found === sources.length || cost(sources, found + 1) > budget).toBe(true)
    }),
  )
})

test('composes few prompts, and none that is much larger than the budget', () => {
  const sources = Array.from({ length: 10_000 }, (_, index) => 100 + (index % 7) * 50)
  const tried: number[] = []
  const counted: number[] = []
  const countSource = (index: number): number => {
    counted.push(index)
    return sources[index]!
  }
  const found = countFittingPacks(sources.length, countSource, 20_000, (count) => {
    tried.push(count)
    return cost(sources, count)
  })
  // Each source once, in order, and those far behind the budget never.
  expect(counted).toEqual([...counted.keys()])
  expect(counted.length).toBeLessThan(500)
  expect(cost(sources, found + 1)).toBeGreaterThan(20_000)
  expect(tried.length).toBeLessThan(14)
  expect(cost(sources, Math.max(...tried))).toBeLessThan(3 * 20_000)
})
