import { countTokens as countCl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { listSymbols } from '../../../src/compress/terms/symbol-table.ts'
import { listAcronyms, makeAcronyms } from '../../../src/compress/terms/make-acronyms.ts'
import { countSharedForms } from '../../../src/compress/terms/shared-terms.ts'
import * as tables from '../../../src/compress/terms/shared-terms.ts'
import { loadTokenizer } from '../../../src/tokens/index.ts'

const CAPITALS = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ')
const isShared = (text: string): boolean => countO200k(text) === 1 && countCl100k(text) === 1

describe('the table of terms that are one token in both tokenizers', () => {
  it('contains exactly the acronyms that are one token in both published tokenizers', () => {
    const pairs = CAPITALS.flatMap((one) => CAPITALS.map((two) => one + two))
    const triples = pairs.flatMap((pair) => CAPITALS.map((three) => pair + three))
    expect(tables.SHARED_PAIRS).toBe(pairs.filter((term) => isShared(` ${term}`)).join(''))
    expect(tables.SHARED_TRIPLES).toBe(triples.filter((term) => isShared(` ${term}`)).join(''))
  })

  it('contains every possible term symbol that is one token in both', async () => {
    const tokenizers = [await loadTokenizer('o200k_base'), await loadTokenizer('cl100k_base')]
    const symbols = new Set(tokenizers.flatMap((each) => listSymbols(each).map(({ term }) => term)))
    const sorted = [...symbols].sort()
    expect(tables.SHARED_SYMBOLS).toBe(sorted.filter(isShared).join(''))
    expect(tables.SHARED_SPACED_SYMBOLS).toBe(sorted.filter((term) => isShared(` ${term}`)).join(''))
  })
})

describe('the preference for shared terms', () => {
  it('prefers initials, then letters of the phrase, and shared acronyms to others', async () => {
    const free = listAcronyms(await loadTokenizer('o200k_base'))
    const flags = free.map((term) => isShared(` ${term}`))
    expect(flags).toEqual(flags.toSorted((a, b) => Number(b) - Number(a)))
    expect(free.every((term) => countO200k(` ${term}`) === 1)).toBe(true)
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

  it('orders symbols of one kind by the number of forms that are one token in both', async () => {
    const symbols = listSymbols(await loadTokenizer('o200k_base'))
    const han = symbols.filter(({ term }) => /\p{Script=Han}/u.test(term))
    const counts = han.map(({ term, mergesWithSpace }) => {
      const spaced = mergesWithSpace && isShared(` ${term}`)
      return Number(isShared(term)) + Number(spaced)
    })
    expect(counts).toEqual(counts.toSorted((a, b) => b - a))
    expect(counts.at(0)).toBe(2)
    expect(counts.at(-1)).toBe(0)
    expect(countSharedForms('■', true)).toBe(2)
    expect(countSharedForms('■', false)).toBe(1)
  })
})
