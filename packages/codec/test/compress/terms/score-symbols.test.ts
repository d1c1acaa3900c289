import { beforeAll, describe, expect, it } from 'vitest'
import { countSignLoss, scoreSymbols } from '../../../src/compress/terms/score-symbols.ts'
import { listSymbols, describeContext, findPlainSymbols } from '../../../src/compress/terms/symbol-table.ts'
import { loadTokenizer } from '../../../src/tokens/load-tokenizer.ts'
import type { Tokenizer } from '../../../src/tokens/types.ts'

let tokenizer: Tokenizer
beforeAll(async () => {
  tokenizer = await loadTokenizer('o200k_base')
})

describe('describeContext', () => {
  const text = 'see (this thing), or 12'

  it('contains the signs next to a candidate, and a letter for a word', () => {
    expect(describeContext(text, 5, 15, 0, text.length)).toEqual({ left: 'a (', right: '), a' })
  })

  it('contains the word after a single sign', () => {
    expect(describeContext('see it=in use', 4, 6, 0, 13)).toEqual({ left: 'a ', right: '=in' })
    expect(describeContext('see it in use', 4, 6, 0, 13)).toEqual({ left: 'a ', right: ' a' })
  })

  it('ends at the limits of the text', () => {
    expect(describeContext(text, 5, 15, 5, 16)).toEqual({ left: '', right: ')' })
  })
})

describe('countSignLoss', () => {
  it('counts the tokens that a sign takes from the word after it', () => {
    const countCached = (text: string): number => tokenizer.countTokens(text)
    const loss = (right: string): number => countSignLoss({ left: '|', right }, { tokenizer, countCached })
    expect(tokenizer.countTokens('=in')).toBe(1)
    expect(loss('=in')).toBe(1)
    expect(loss('=(in')).toBe(0)
  })
})

describe('scoreSymbols', () => {
  it('scores the tokens that a symbol saves compared with a plain one', () => {
    const context = { left: 'a', right: '\n\na' }
    const usage = {
      candidate: 7,
      count: 3,
      afterSpace: 0,
      contexts: new Map([[context, 3]]),
      signLoss: 0,
      lacksLetter: false,
    }
    const free = listSymbols(tokenizer).filter(({ term }) => ['?', '●'].includes(term))
    const scores = scoreSymbols([usage], free, {
      tokenizer,
      countCached: (text) => tokenizer.countTokens(text),
    })
    expect(scores.map(({ symbol, gain }) => [symbol.term, gain])).toEqual([['?', 3]])
    expect(tokenizer.countTokens('a?\n\na')).toBe(3)
    expect(tokenizer.countTokens(`a${findPlainSymbols(tokenizer).sign}\n\na`)).toBe(4)
  })

  it('subtracts a token for each space that a symbol does not merge with, and what it costs in other tokenizers', () => {
    const free = listSymbols(tokenizer).filter(({ term }) => term === '♡')
    const score = (count: number, afterSpace: number): number[] => {
      const contexts = new Map([
        [{ left: 'a', right: '\n\na' }, count],
        [{ left: 'a ', right: ' a' }, afterSpace],
      ])
      const usage = {
        candidate: 0,
        count: count + afterSpace,
        afterSpace,
        contexts,
        signLoss: 0,
        lacksLetter: false,
      }
      const countCached = (text: string): number => tokenizer.countTokens(text)
      return scoreSymbols([usage], free, { tokenizer, countCached }).map(({ gain }) => gain)
    }
    expect(free).toMatchObject([{ mergesWithSpace: false, mergesInHeader: false }])
    expect(tokenizer.countTokens('a ♡ a')).toBe(4)
    expect(tokenizer.countTokens(`a ${findPlainSymbols(tokenizer).sign} a`)).toBe(3)
    const { bareCost, spacedCost } = free[0]!
    expect(score(9, 0)[0]).toBeCloseTo(9 - (10 * bareCost) / 4)
    expect(score(9, 1)[0]).toBeCloseTo(8 - (10 * bareCost + spacedCost) / 4)
    expect(score(9, 9)).toEqual([])
  })
})
