import { countTokens as countCl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base'
import { beforeAll, describe, expect, it } from 'vitest'
import { listAcronyms, makeAcronyms } from '../../../src/compress/terms/make-acronyms.ts'
import { listMergingSymbols, listSymbols } from '../../../src/compress/terms/symbol-table.ts'
import * as lists from '../../../src/compress/terms/term-lists.ts'
import { loadTokenizer } from '../../../src/tokens/index.ts'
import type { Tokenizer } from '../../../src/tokens/types.ts'

let tokenizers: Tokenizer[]
beforeAll(async () => {
  tokenizers = [await loadTokenizer('o200k_base'), await loadTokenizer('cl100k_base')]
})

describe('the lists of symbols', () => {
  it('has one cost of each kind for every symbol, and each symbol once', () => {
    expect(new Set(lists.SYMBOLS).size).toBe(lists.SYMBOLS.length)
    expect(lists.BARE_COSTS).toHaveLength(lists.SYMBOLS.length)
    expect(lists.SPACED_COSTS).toHaveLength(lists.SYMBOLS.length)
  })

  it('begins with the cheapest: symbols that are one token in both tokenizers of the codec', () => {
    const costs = Array.from(lists.BARE_COSTS, (digit) => parseInt(digit, 36))
    expect(costs).toEqual(costs.toSorted((a, b) => a - b))
    const free = Array.from(lists.SYMBOLS).slice(0, costs.lastIndexOf(0) + 1)
    expect(free.length).toBeGreaterThan(600)
    expect(free.filter((term) => countO200k(term) + countCl100k(term) > 2)).toEqual([])
  })

  it('never calls a symbol cheaper than it is in the tokenizers of the codec', () => {
    const wrong = Array.from(lists.SYMBOLS).filter((term, at) => {
      const own = (form: string): number => countO200k(form) - 1 + 3 * (countCl100k(form) - 1)
      const cost = (digits: string): number => parseInt(digits[at]!, 36)
      return (
        cost(lists.BARE_COSTS) < Math.min(35, own(term)) ||
        cost(lists.SPACED_COSTS) < Math.min(35, own(` ${term}`))
      )
    })
    expect(wrong).toEqual([])
  })

  it('has enough terms for a large text, one token each', () => {
    const counts = tokenizers.map((tokenizer) => {
      const symbols = listSymbols(tokenizer)
      expect(symbols.filter(({ term }) => !tokenizer.isOneToken(term))).toEqual([])
      const spaced = symbols.filter(({ term }) => tokenizer.countTokens(`x ${term} y`) === 3)
      expect(symbols.filter(({ mergesWithSpace }) => mergesWithSpace)).toEqual(spaced)
      return symbols.length
    })
    expect(counts[0]).toBeGreaterThan(3000)
    expect(counts[1]).toBeGreaterThan(650)
  })

  it('knows every token of a symbol beyond ASCII with the signs and spaces next to it', () => {
    for (const tokenizer of tokenizers) {
      const symbols = new Set(listSymbols(tokenizer).flatMap(({ term }) => (term > '\x7f' ? [term] : [])))
      const unknown = Array.from(tokenizer.vocabulary()).filter((token) => {
        if (token.length < 2 || token.length > 6 || token.includes('\ufffd')) return false
        return Array.from(token).some((term, at) => {
          const [left, right] = [token.slice(0, at), token.slice(at + 1)]
          if (!symbols.has(term) || left.length > 2 || right.length > 3) return false
          if (/[\p{L}\p{N}\p{M}]/u.test(left + right) || `${left}|${right}` === ' |') return false
          return ![...listMergingSymbols(tokenizer, { left, right })].some((found) => found.term === term)
        })
      })
      expect(unknown).toEqual([])
    }
  })
})

describe('the lists of acronyms', () => {
  it('lists acronyms of one token behind a space, those of both tokenizers before most others', () => {
    const acronyms = listAcronyms(tokenizers[0]!)
    expect(acronyms.length).toBeGreaterThan(1000)
    expect(acronyms.every((term) => countO200k(` ${term}`) === 1)).toBe(true)
    const pairs = acronyms.filter((term) => term.length === 2).slice(0, 100)
    expect(pairs.every((term) => countCl100k(` ${term}`) === 1)).toBe(true)
  })

  it('prefers initials, then letters of the phrase', () => {
    const free = listAcronyms(tokenizers[0]!)
    const candidates = new Map(
      ['machine learning', 'market lane', 'and of the'].map((text, candidate) => [candidate, text]),
    )
    const terms = makeAcronyms(candidates, free)
    expect(terms.get(0)).toBe('ML')
    expect(terms.get(1)).toMatch(/^M[ARKETLN]{1,2}$/)
    expect(terms.get(2)).toMatch(/^A[NDOFTHE]{1,2}$/)
    expect(new Set(terms.values()).size).toBe(3)
  })

  it('assigns each acronym once and leaves out candidates when none is left', () => {
    const candidates = new Map([0, 1, 2].map((candidate) => [candidate, 'data base']))
    expect([...makeAcronyms(candidates, ['XY', 'DBX', 'DB'])]).toEqual([
      [0, 'DB'],
      [1, 'DBX'],
      [2, 'XY'],
    ])
    expect(makeAcronyms(candidates, []).size).toBe(0)
  })
})
