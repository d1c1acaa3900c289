import { beforeAll, describe, expect, it } from 'vitest'
import { scoreSymbols } from '../../../src/compress/terms/score-symbols.ts'
import { listSymbols, describeContext, findPlainSymbol } from '../../../src/compress/terms/symbol-table.ts'
import { loadTokenizer } from '../../../src/tokens/load-tokenizer.ts'
import type { Tokenizer } from '../../../src/tokens/types.ts'

let tokenizer: Tokenizer
beforeAll(async () => {
  tokenizer = await loadTokenizer('o200k_base')
})

describe('describePlace', () => {
  const text = 'see (this thing), or 12'

  it('has the signs beside a candidate and a letter where words go on', () => {
    expect(describeContext(text, 5, 15, 0, text.length)).toEqual({ left: 'a (', right: '), a' })
  })

  it('ends at the text that is left', () => {
    expect(describeContext(text, 5, 15, 5, 16)).toEqual({ left: '', right: ')' })
  })
})

describe('claimSymbols', () => {
  it('claims what one symbol saves over a plain one, by the tokenizer', () => {
    const context = { left: 'a', right: '\n\na' }
    const usage = { candidate: 7, count: 3, afterSpace: 0, contexts: new Map([[context, 3]]) }
    const free = listSymbols(tokenizer).filter(({ term }) => ['?', '●'].includes(term))
    const scores = scoreSymbols([usage], free, {
      tokenizer,
      countCached: (text) => tokenizer.countTokens(text),
    })
    expect(scores.map(({ symbol, gain }) => [symbol.term, gain])).toEqual([['?', 3]])
    expect(tokenizer.countTokens('a?\n\na')).toBe(3)
    expect(tokenizer.countTokens(`a${findPlainSymbol(tokenizer)}\n\na`)).toBe(4)
  })

  it('charges a symbol that takes no space for the spaces before uses elsewhere', () => {
    const contexts = new Map([
      [{ left: 'a', right: '\n\na' }, 1],
      [{ left: 'a ', right: ' a' }, 2],
    ])
    const usage = { candidate: 0, count: 3, afterSpace: 2, contexts }
    const free = listSymbols(tokenizer).filter(({ mergesWithSpace }) => !mergesWithSpace)
    for (const { symbol, gain } of scoreSymbols([usage], free, {
      tokenizer,
      countCached: (text) => tokenizer.countTokens(text),
    })) {
      expect([symbol.term, gain]).toEqual([symbol.term, 0])
    }
  })
})
