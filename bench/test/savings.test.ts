import { expect, it } from 'vitest'
import { summarizeSavings, type DocumentSavings } from '../savings.ts'

const file = (
  bytes: number,
  source: number,
  content: number,
  rosetta: number,
  roundTrip = true,
): DocumentSavings => ({
  file: `${bytes}.md`,
  bytes,
  source,
  content,
  rosetta,
  entries: 1,
  optimality: bytes === 15_000 ? 0.97 : 0.99,
  roundTrip,
})

const summary = summarizeSavings('minify-1', [
  file(4_999, 100, 100, 0),
  file(15_000, 1_000, 900, 20),
  file(60_000, 10_000, 7_000, 500, false),
  file(14_999, 100, 99, 2),
])

it('weighs every document alike in the mean', () => {
  // net: 0, 8, 25 and -1 percent
  expect(summary.all).toEqual({ documents: 4, gross: 10.25, header: 2.25, net: 8 })
})

it('weighs every token alike when pooled', () => {
  // 11,200 source, 8,099 content, 522 header
  expect(summary.pooled.net).toBeCloseTo((100 * (11_200 - 8_099 - 522)) / 11_200, 10)
})

it('sorts documents into size buckets', () => {
  expect(summary.buckets.map(({ bucket, documents }) => [bucket, documents])).toEqual([
    ['< 5 KB', 1],
    ['5-15 KB', 1],
    ['15-60 KB', 1],
    ['≥ 60 KB', 1],
  ])
})

it('counts what cost more than its source and what did not come back', () => {
  expect([summary.worse, summary.roundTripFailures]).toEqual([1, 1])
})

it('takes the median share of the upper bound over documents of 15 KB and more', () => {
  expect(summary.optimality).toBeCloseTo(0.98, 10)
})
