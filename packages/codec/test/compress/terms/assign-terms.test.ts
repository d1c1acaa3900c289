import { describe, expect, it } from 'vitest'
import { assignSymbols } from '../../../src/compress/terms/assign-terms.ts'
import type { CandidateUsage } from '../../../src/compress/terms/score-symbols.ts'
import type { TermSymbol } from '../../../src/compress/terms/symbol-table.ts'

const symbol = (term: string, mergesWithSpace: boolean, needsLetter = false): TermSymbol => ({
  term,
  mergesWithSpace,
  isLetter: false,
  mergesInHeader: false,
  bareCost: 0,
  spacedCost: 0,
  needsLetter,
})
const usage = (candidate: number, count: number, afterSpace: number): CandidateUsage => ({
  candidate,
  count,
  afterSpace,
  contexts: new Map(),
  signLoss: 0,
  lacksLetter: false,
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

  it('gives a currency sign only to an expansion with a letter, however often the other is used (T6)', () => {
    const [euro, pound] = [symbol('€', true, true), symbol('£', true, true)]
    const plain = { ...usage(0, 9, 0), lacksLetter: true }
    const terms = assignSymbols([plain, usage(1, 5, 0), usage(2, 4, 0)], [euro, pound, star, box], [])
    expect([...terms].toSorted(([a], [b]) => a - b)).toEqual([
      [0, '★'],
      [1, '€'],
      [2, '£'],
    ])
    expect(assignSymbols([plain], [euro, pound], [])).toEqual(new Map())
  })

  it('assigns the cheapest of the symbols that merge with a space to the most used candidate after one', () => {
    const costly = { ...symbol('▓', true), spacedCost: 1 }
    expect(assignSymbols([usage(0, 9, 9)], [costly, dot], [])).toEqual(new Map([[0, '•']]))
  })

  it('gives a letter where a sign costs more, and a sign if no letter is left', () => {
    const letter = { ...symbol('한', true), isLetter: true }
    const costly = { ...usage(0, 9, 0), signLoss: 1 }
    expect(assignSymbols([costly, usage(1, 5, 0)], [star, letter], [])).toEqual(
      new Map([
        [0, '한'],
        [1, '★'],
      ]),
    )
    expect(assignSymbols([costly], [star], [])).toEqual(new Map([[0, '★']]))
  })

  it('leaves out a candidate if no symbol is left', () => {
    expect(assignSymbols([usage(0, 3, 0), usage(1, 2, 0)], [dot], [])).toEqual(new Map([[0, '•']]))
  })
})
