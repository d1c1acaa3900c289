import { expect, it } from 'vitest'
import { selectTimedPairs } from '../timed-pairs.ts'

const document = (file: string, bytes: number): Parameters<typeof selectTimedPairs>[0][number] => ({
  file,
  text: `${file} `.repeat(bytes / 2),
  bytes,
  tokens: 1,
})

it('pairs each document of 60-125 KB with the smallest other one of 100 KB or more', () => {
  const documents = [
    document('a', 59_999),
    document('b', 60_000),
    document('c', 110_000),
    document('d', 125_001),
  ]
  const pairs = selectTimedPairs(documents)
  expect(pairs.map((pair) => [pair.document.file, pair.warmup[0]])).toEqual([
    ['b', 'c'],
    ['c', 'd'],
  ])
})

it('joins the others where none is large enough', () => {
  const pairs = selectTimedPairs([document('a', 60_000), document('b', 50_000), document('c', 70_000)])
  expect(pairs[0]?.warmup).toBe(`${'b '.repeat(25_000)}\n\n${'c '.repeat(35_000)}\n\n`)
})

it('makes one pair of disjoint halves from small documents', () => {
  const [pair, ...rest] = selectTimedPairs([
    document('a', 40_000),
    document('b', 30_000),
    document('c', 40_000),
  ])
  expect(rest).toEqual([])
  expect(pair?.document.text).toMatch(/^[a ]+\n\n[c ]+\n\n$/)
  expect(pair?.warmup).toMatch(/^[b \n]+$/)
  expect(pair?.warmup.length).toBeGreaterThanOrEqual(100_000)
})
