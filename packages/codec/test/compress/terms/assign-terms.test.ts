import { describe, expect, it } from 'vitest'
import { assignSymbols } from '../../../src/compress/terms/assign-terms.ts'
import type { CandidateUsage } from '../../../src/compress/terms/score-symbols.ts'
import type { TermSymbol } from '../../../src/compress/terms/symbol-table.ts'

const symbol = (term: string, mergesWithSpace: boolean): TermSymbol => ({
  term,
  mergesWithSpace,
  mergesInHeader: false,
})
const usage = (candidate: number, count: number, afterSpace: number): CandidateUsage => ({
  candidate,
  count,
  afterSpace,
  contexts: new Map(),
})
const [dot, ring, star, box] = [symbol('•', true), symbol('○', true), symbol('★', false), symbol('□', false)]

describe('assignSymbols', () => {
  it('assigns symbols that merge with a space to the candidates after most spaces', () => {
    const terms = assignSymbols([usage(0, 9, 0), usage(1, 5, 5), usage(2, 4, 3)], [star, dot, ring, box], [])
    expect([...terms].toSorted(([a], [b]) => a - b)).toEqual([
      [0, '★'],
      [1, '•'],
      [2, '○'],
    ])
  })

  it('exchanges symbols if the greedy assignment is worse in sum', () => {
    const [a, b] = [usage(0, 9, 0), usage(1, 9, 0)]
    const scores = [
      { usage: a, symbol: star, gain: 5 },
      { usage: a, symbol: box, gain: 4 },
      { usage: b, symbol: star, gain: 4 },
    ]
    expect([...assignSymbols([a, b], [star, box], scores)].toSorted(([a], [b]) => a - b)).toEqual([
      [0, '□'],
      [1, '★'],
    ])
  })

  it('leaves out a candidate if no symbol is left', () => {
    expect(assignSymbols([usage(0, 3, 0), usage(1, 2, 0)], [dot], [])).toEqual(new Map([[0, '•']]))
  })
})
