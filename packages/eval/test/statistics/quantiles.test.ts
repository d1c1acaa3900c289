import { describe, expect, it } from 'vitest'
import { tQuantile } from '../../src/statistics/compare-pairs.ts'

describe('tQuantile', () => {
  // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2: upper critical values for 0.10, 0.05, 0.025, 0.01, 0.005, 0.001.
  it.each([
    [1, [3.078, 6.314, 12.706, 31.821, 63.657]],
    [2, [1.886, 2.92, 4.303, 6.965, 9.925, 22.327]],
    [3, [1.638, 2.353, 3.182, 4.541, 5.841, 10.215]],
    [4, [1.533, 2.132, 2.776, 3.747, 4.604, 7.173]],
    [10, [1.372, 1.812, 2.228, 2.764, 3.169]],
    [19, [1.328, 1.729, 2.093, 2.539, 2.861, 3.579]],
    [20, [1.325, 1.725, 2.086, 2.528, 2.845, 3.552]],
    [23, [1.319, 1.714, 2.069, 2.5, 2.807, 3.485]],
    [30, [1.31, 1.697, 2.042, 2.457, 2.75, 3.385]],
    [60, [1.296, 1.671, 2.0, 2.39, 2.66, 3.232]],
    [100, [1.29, 1.66, 1.984, 2.364, 2.626, 3.174]],
  ])('gives the published values for %s degrees of freedom', (degrees, values) => {
    const probabilities = [0.9, 0.95, 0.975, 0.99, 0.995, 0.999]
    const found = values.map((_, at) => tQuantile(probabilities[at]!, degrees))
    expect(found.map((value) => Math.round(value * 1000) / 1000)).toEqual(values)
  })

  it('comes to the normal distribution', () => {
    expect(tQuantile(0.975, 5000)).toBeCloseTo(1.959963984540054, 3)
    expect(tQuantile(0.5, 7)).toBeCloseTo(0, 12)
  })
})
