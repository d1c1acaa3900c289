import { expect, it } from 'vitest'
import { assignLetters, type CandidateUsage } from '../../../src/compress/terms/assign-terms.ts'
import type { TermLetter } from '../../../src/compress/terms/letter-table.ts'

const letter = (term: string, mergesWithSpace: boolean, spacedCost = 0): TermLetter => ({
  term,
  script: 'Hangul',
  mergesWithSpace,
  bareCost: 0,
  spacedCost,
})
const usage = (candidate: number, count: number, afterSpace: number): CandidateUsage => ({
  candidate,
  phrase: `phrase ${candidate}`,
  count,
  afterSpace,
})
const [ga, na, da, ra] = [letter('가', true), letter('나', true), letter('다', false), letter('라', false)]

it('assigns letters that merge with a space to the candidates after most spaces', () => {
  const terms = assignLetters([usage(0, 9, 0), usage(1, 5, 5), usage(2, 4, 3)], [da, ga, na, ra])
  expect([...terms].toSorted(([a], [b]) => a - b)).toEqual([
    [0, '다'],
    [1, '가'],
    [2, '나'],
  ])
})

it('assigns the cheapest of the letters that merge with a space to the most used candidate after one', () => {
  const costly = letter('마', true, 1)
  expect(assignLetters([usage(0, 9, 9)], [costly, ga])).toEqual(new Map([[0, '가']]))
})

it('gives the cheapest letters to the most used candidates', () => {
  const dear = { ...ra, bareCost: 1 }
  expect(assignLetters([usage(0, 2, 0), usage(1, 3, 0)], [dear, da])).toEqual(
    new Map([
      [1, '다'],
      [0, '라'],
    ]),
  )
})

it('keeps the letters of all phrases but few when counts change and phrases come and go', () => {
  const letters = Array.from({ length: 300 }, (_, at) =>
    letter(String.fromCharCode(0x4e00 + at), at % 2 === 0),
  )
  const usages = Array.from({ length: 120 }, (_, at) => usage(at, 2 + ((at * 7) % 11), at % 3))
  const before = assignLetters(usages, letters)
  const edited = usages.slice(1).map((each) => ({ ...each, count: each.count + 1 + (each.candidate % 4) }))
  const after = assignLetters([usage(500, 40, 2), ...edited], letters)
  const kept = edited.filter(({ candidate }) => after.get(candidate) === before.get(candidate))
  expect(kept.length).toBeGreaterThan(0.95 * edited.length)
  expect(assignLetters(usages.toReversed(), letters)).toEqual(before)
})

it('omits a candidate if no letter is left', () => {
  expect(assignLetters([usage(0, 3, 0), usage(1, 2, 0)], [ga])).toEqual(new Map([[0, '가']]))
})
