import { expect, it } from 'vitest'
import type { FoundCandidates } from '../../../src/compress/candidates/candidate-set.ts'
import { priceTerms } from '../../../src/compress/selection/choose-greedily.ts'
import type { OccurrenceRule } from '../../../src/compress/candidates/candidate-rules.ts'

/** Each boundary begins at 0 and ends at 10 tokens, so an occurrence saves 10. */
const UNITS = 240
const boundaries = {
  total: 2400,
  begins: new Int32Array(UNITS + 1),
  ends: new Int32Array(UNITS + 1).fill(10),
  adjacencyGain: new Int8Array(UNITS + 1),
}

/** Candidates of two units at the given positions, each for a header of 4 tokens. */
function findAt(lists: readonly (readonly number[])[]): FoundCandidates {
  const firsts = lists.map((_, candidate) => lists.slice(0, candidate).flat().length)
  return {
    sample: Int32Array.from(lists, (positions) => positions[0]!),
    length: new Int32Array(lists.length).fill(2),
    cost: new Float64Array(lists.length).fill(4),
    floor: new Int32Array(lists.length).fill(1),
    extra: new Int32Array(lists.length),
    maxNet: Int32Array.from(lists, (positions) => 10 * positions.length - 4),
    from: Int32Array.from(firsts),
    to: Int32Array.from(lists, (positions, candidate) => firsts[candidate]! + positions.length),
    positions: Int32Array.from(lists.flat()),
  }
}

const LISTS = [
  [0, 2, 4, 6, 8],
  // Three of four are taken by the first one: 6 are left.
  [1, 3, 5, 20],
  [22, 24, 26],
  [28, 30],
]
/** Twelve candidates that gain 56 each, behind all others: a price is estimated from 16 terms on, of which 13 are chosen greedily. */
const BEST = Array.from({ length: 12 }, (_, candidate) =>
  Array.from({ length: 6 }, (_none, use) => 40 + 12 * candidate + 2 * use),
)
const everywhere: OccurrenceRule = () => true

it('prices a term so that the last entry that gets one still pays', () => {
  const found = findAt([...LISTS, ...BEST])
  const priceOf = (count: number): number => priceTerms(found, boundaries, everywhere, count).price
  expect([16, 17, 18, 20].map(priceOf)).toEqual([45, 25, 15, 5])
})

it('returns 0 if there are enough terms', () => {
  const found = findAt([...LISTS, ...BEST])
  expect(priceTerms(found, boundaries, everywhere, 21)).toEqual({ count: 21, price: 0 })
})

it('returns 0 for fewer than 16 terms, of which the last one tells little', () => {
  const found = findAt([...LISTS, ...BEST])
  expect(priceTerms(found, boundaries, everywhere, 15)).toEqual({ count: 15, price: 0 })
})

it('ignores occurrences that overlap or are not allowed', () => {
  const found = findAt([[0, 1, 2, 30], ...BEST])
  expect(priceTerms(found, boundaries, (begin) => begin !== 30, 16).price).toBe(15)
})
