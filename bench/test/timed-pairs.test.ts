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
    ['d (cut)', 'c'],
  ])
})

it('cuts longer documents at a line end at 100 KB', () => {
  const long = { ...document('d', 130_000), text: `${'d '.repeat(40_000)}\n`.repeat(2) }
  const [, cut] = selectTimedPairs([document('b', 60_000), long])
  expect(cut?.document).toMatchObject({ file: 'd (cut)', text: `${'d '.repeat(40_000)}\n`, bytes: 80_001 })
})

it('joins small neighbours of one folder, up to 15 documents', () => {
  const small = ['x/a', 'x/b', 'y/a', 'y/b', 'y/c'].map((file) => document(file, 40_000))
  const files = (count: number): string[] =>
    selectTimedPairs([...Array.from({ length: count }, () => document('z', 60_000)), ...small])
      .slice(count)
      .map((pair) => pair.document.file)
  expect(files(1)).toEqual(['x/a (and 1 joined)', 'y/a (and 1 joined)'])
  expect(files(14)).toEqual(['x/a (and 1 joined)'])
  expect(files(16)).toEqual([])
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
