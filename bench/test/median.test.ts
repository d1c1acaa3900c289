import { expect, it } from 'vitest'
import { medianOf } from '../median.ts'

it.each([
  [[], 0],
  [[7], 7],
  [[9, 1, 2], 2],
  [[4, 1, 3, 10], 3.5],
])('median of %j is %d', (values, median) => {
  expect(medianOf(values)).toBe(median)
})
