import fc from 'fast-check'
import { expect, test } from 'vitest'
import { computeSavingsPercent } from '../../src/pack/index.ts'

test.each([
  [935, 1000, 6.5],
  [0, 10, 100],
  [10, 10, 0],
  [2, 3, 33.33],
  [1, 3, 66.67],
  [4, 3, -33.33],
  [5, 3, -66.67],
  [1, 16, 93.75],
  [20_001, 20_000, -0.01],
  [19_999, 20_000, 0.01],
  [200_001, 200_000, 0],
  [0, 0, 0],
  [5, 0, 0],
  [16_777_215, 16_777_216, 0],
  [30, 7, -328.57],
])('%i paid against %i saves %d %%', (paid, full, percent) => {
  expect(Object.is(computeSavingsPercent(paid, full), percent)).toBe(true)
})

test('is the nearest hundredth, halves away from zero, by whole numbers', () => {
  const count = fc.integer({ min: 0, max: 16_777_216 })
  fc.assert(
    fc.property(count, fc.integer({ min: 1, max: 16_777_216 }), (paid, full) => {
      const percent = computeSavingsPercent(paid, full)
      const [whole = '', decimals = ''] = percent.toFixed(2).split('.')
      const hundredths = BigInt(`${whole.replace('-', '')}${decimals}`)
      const saved = BigInt(Math.abs(full - paid)) * 10_000n
      const distance = saved - hundredths * BigInt(full)
      expect(2n * distance < BigInt(full)).toBe(true)
      expect(2n * distance >= -BigInt(full)).toBe(true)
      expect(Object.is(percent, -0)).toBe(false)
      expect(Number(percent.toFixed(2))).toBe(percent)
    }),
  )
})
