import { expect, it } from 'vitest'
import { formatTimeLeft } from '../../src/output/progress.ts'

it.each([
  ['nothing before a second', 900, 50, 100, ''],
  ['nothing before two percent', 5000, 1, 100, ''],
  ['seconds, rounded up', 4000, 40, 100, ', about 6 s left'],
  ['minutes from 90 seconds', 60_000, 25, 100, ', about 3 min left'],
  ['nothing at the end', 4000, 100, 100, ''],
  ['nothing without work', 4000, 0, 0, ''],
])('shows %s', (_, elapsed, done, work, text) => {
  expect(formatTimeLeft(elapsed, done, work)).toBe(text)
})
