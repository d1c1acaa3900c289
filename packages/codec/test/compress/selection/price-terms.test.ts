import { describe, expect, it } from 'vitest'
import type { FoundCandidates } from '../../../src/compress/candidates/candidate-set.ts'
import { priceTerms } from '../../../src/compress/selection/price-terms.ts'
import type { OccurrenceRule } from '../../../src/compress/candidates/candidate-rules.ts'

/** Each boundary begins at 0 and ends at 10 tokens, so an occurrence saves 10. */
const UNITS = 40
const boundaries = {
  total: 400,
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
const everywhere: OccurrenceRule = { allows: () => true }

describe('priceTerms', () => {
  it('prices a term so that the last entry that gets one still pays', () => {
    const priceOf = (count: number): number => priceTerms(findAt(LISTS), boundaries, everywhere, count).price
    expect([1, 2, 3, 4].map(priceOf)).toEqual([45, 25, 15, 5])
  })

  it('returns 0 if there are enough terms', () => {
    expect(priceTerms(findAt(LISTS), boundaries, everywhere, 6)).toEqual({ count: 6, price: 0 })
  })

  it('ignores occurrences that overlap or are not allowed', () => {
    const found = findAt([[0, 1, 2, 30]])
    expect(priceTerms(found, boundaries, { allows: (begin) => begin !== 30 }, 1).price).toBe(15)
  })
})
