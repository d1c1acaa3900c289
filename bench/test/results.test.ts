import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { type ApiResults, updatePage } from '../capacity.ts'
import { summarizeTimes, medianOf } from '../measure.ts'
import { readResults } from '../results.ts'
import { formatPage } from '../results-page.ts'

it('has a page with the saved results, which can be read in a few minutes', () => {
  const page = readFileSync('bench/results/README.md', 'utf8')
  expect(page).toBe(formatPage(readResults))
  expect(page.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length).toBeLessThanOrEqual(1500)
})

it('has a page on capacity with the saved costs', () => {
  const page = readFileSync('docs/operations/capacity.md', 'utf8')
  // The formatter aligns the columns of tables.
  const compact = (text: string): string => text.replace(/ +|-{2,}/g, ' ')
  expect(compact(updatePage(page, readResults<ApiResults>('api')!))).toBe(compact(page))
})

it('marks goals that are missed', () => {
  const found = { name: 'dense-2', bytes: 10_000, family: 'a', ratio: 7.9 }
  const hostile = { families: 1, slowest: [found, { ...found, family: 'b', ratio: 8.1 }], found: [] }
  const page = formatPage(<T>(name: string) => (name === 'hostile' ? (hostile as T) : undefined))
  expect(page).toContain('| dense-2 | 10 | 7.9 | a |\n| dense-2 | 10 | 8.1 * | b |\n')
})

it.each([
  [[], 0, 0],
  [[7], 7, 7],
  [[9, 1, 2], 2, 9],
  [[4, 1, 3, 10], 3.5, 10],
])('finds the median and the most of %j', (values, median, max) => {
  expect(medianOf(values)).toBe(median)
  expect(summarizeTimes(values).max).toBe(max)
})
