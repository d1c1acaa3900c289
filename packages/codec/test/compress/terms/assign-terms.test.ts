import { describe, expect, it } from 'vitest'
import { assignSymbols } from '../../../src/compress/terms/assign-terms.ts'
import type { PhraseUse } from '../../../src/compress/terms/claim-symbols.ts'
import type { TermSymbol } from '../../../src/compress/terms/symbol-table.ts'

const symbol = (term: string, takesSpace: boolean): TermSymbol => ({ term, takesSpace, isCheap: false })
const use = (phrase: number, uses: number, spaces: number): PhraseUse => ({
  phrase,
  uses,
  spaces,
  places: new Map(),
})
const [dot, ring, star, box] = [symbol('•', true), symbol('○', true), symbol('★', false), symbol('□', false)]

describe('assignSymbols', () => {
  it('gives symbols that take a space to the phrases behind most spaces', () => {
    const terms = assignSymbols([use(0, 9, 0), use(1, 5, 5), use(2, 4, 3)], [star, dot, ring, box], [])
    expect([...terms].toSorted(([a], [b]) => a - b)).toEqual([
      [0, '★'],
      [1, '•'],
      [2, '○'],
    ])
  })

  it('trades where the best claim first would lose in sum', () => {
    const [a, b] = [use(0, 9, 0), use(1, 9, 0)]
    const claims = [
      { use: a, symbol: star, gain: 5 },
      { use: a, symbol: box, gain: 4 },
      { use: b, symbol: star, gain: 4 },
    ]
    expect([...assignSymbols([a, b], [star, box], claims)].toSorted(([a], [b]) => a - b)).toEqual([
      [0, '□'],
      [1, '★'],
    ])
  })

  it('leaves out a phrase for which no symbol is left', () => {
    expect(assignSymbols([use(0, 3, 0), use(1, 2, 0)], [dot], [])).toEqual(new Map([[0, '•']]))
  })
})
