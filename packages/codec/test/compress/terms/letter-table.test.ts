import { countTokens as countCl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import * as lists from '../../../src/compress/terms/letter-table.ts'
import { loadTokenizer } from '../../../src/tokens/load-tokenizer.ts'

const tokenizers = [await loadTokenizer('o200k_base'), await loadTokenizer('cl100k_base')]

describe('the lists of letters', () => {
  it('has one cost of each kind for every letter, and each letter once', () => {
    expect(new Set(lists.LETTERS).size).toBe(lists.LETTERS.length)
    expect(lists.BARE_COSTS).toHaveLength(lists.LETTERS.length)
    expect(lists.SPACED_COSTS).toHaveLength(lists.LETTERS.length)
  })

  it('begins with the cheapest: letters that are one token in both tokenizers of the codec', () => {
    const costs = Array.from(lists.BARE_COSTS, (digit) => parseInt(digit, 36))
    expect(costs).toEqual(costs.toSorted((a, b) => a - b))
    const free = Array.from(lists.LETTERS).slice(0, costs.lastIndexOf(0) + 1)
    expect(free.length).toBeGreaterThan(330)
    expect(free.filter((term) => countO200k(term) + countCl100k(term) > 2)).toEqual([])
  })

  it('never calls a letter cheaper than it is in the tokenizers of the codec', () => {
    const wrong = Array.from(lists.LETTERS).filter((term, at) => {
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
      const letters = lists.listLetters(tokenizer)
      expect(letters.filter(({ term }) => tokenizer.countTokens(term) !== 1)).toEqual([])
      const spaced = letters.filter(({ term }) => tokenizer.countTokens(`x ${term} y`) === 3)
      expect(letters.filter(({ mergesWithSpace }) => mergesWithSpace)).toEqual(spaced)
      return letters.length
    })
    expect(counts[0]).toBeGreaterThan(2200)
    expect(counts[1]).toBeGreaterThan(400)
  })
})

describe('the letters that a text leaves free', () => {
  const listScripts = (text: string): string[] => [
    ...new Set(lists.listFreeLetters(tokenizers[0]!, text).map(({ script }) => script)),
  ]

  it('are of no script that the text is written in', () => {
    const words = 'some words of Latin letters '.repeat(400)
    expect(listScripts(words).toSorted()).toEqual(['Han', 'Hangul', 'Kana', 'Thai'])
    expect(listScripts('日本語'.repeat(17)).toSorted()).toEqual(['Hangul', 'Kana', 'Thai'])
    expect(listScripts(`${words}${'ひらがな'.repeat(13)}`).toSorted()).toEqual(['Han', 'Hangul', 'Thai'])
    expect(listScripts('한국어').toSorted()).toEqual(['Han', 'Kana', 'Thai'])
  })

  it.each([
    ['才', ['Hangul', 'Thai']],
    ['オ', ['Hangul', 'Thai']],
    ['가', ['Han', 'Kana', 'Thai']],
    ['TLS', ['Han', 'Hangul', 'Kana', 'Thai']],
  ])('look like no term of the author: %s', (term, scripts) => {
    const free = lists.listFreeLetters(tokenizers[0]!, 'some words', ['a', 'b'.repeat(200), term])
    expect([...new Set(free.map(({ script }) => script))].toSorted()).toEqual(scripts)
  })

  it('do not occur in the text', () => {
    const free = lists.listFreeLetters(tokenizers[0]!, `${'some words of Latin letters '.repeat(400)}水く`)
    const terms = free.map(({ term }) => term)
    expect(terms).not.toContain('水')
    expect(terms).not.toContain('く')
    expect(terms).toContain('生')
  })
})
