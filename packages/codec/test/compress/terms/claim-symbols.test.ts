import { beforeAll, describe, expect, it } from 'vitest'
import { claimSymbols } from '../../../src/compress/terms/claim-symbols.ts'
import { listSymbols, describePlace, findPlainSymbol } from '../../../src/compress/terms/symbol-table.ts'
import { loadTokenizer } from '../../../src/tokens/load-tokenizer.ts'
import type { Tokenizer } from '../../../src/tokens/types.ts'

let tokenizer: Tokenizer
beforeAll(async () => {
  tokenizer = await loadTokenizer('o200k_base')
})

describe('describePlace', () => {
  const text = 'see (this thing), or 12'

  it('has the signs beside a phrase and a letter where words go on', () => {
    expect(describePlace(text, 5, 15, 0, text.length)).toEqual({ left: 'a (', right: '), a' })
  })

  it('ends at the text that is left', () => {
    expect(describePlace(text, 5, 15, 5, 16)).toEqual({ left: '', right: ')' })
  })
})

describe('claimSymbols', () => {
  it('claims what one symbol saves over a plain one, by the tokenizer', () => {
    const place = { left: 'a', right: '\n\na' }
    const use = { phrase: 7, uses: 3, spaces: 0, places: new Map([[place, 3]]) }
    const free = listSymbols(tokenizer).filter(({ term }) => ['?', '●'].includes(term))
    const claims = claimSymbols([use], free, { tokenizer, tally: (text) => tokenizer.countTokens(text) })
    expect(claims.map(({ symbol, gain }) => [symbol.term, gain])).toEqual([['?', 3]])
    expect(tokenizer.countTokens('a?\n\na')).toBe(3)
    expect(tokenizer.countTokens(`a${findPlainSymbol(tokenizer)}\n\na`)).toBe(4)
  })

  it('charges a symbol that takes no space for the spaces before uses elsewhere', () => {
    const places = new Map([
      [{ left: 'a', right: '\n\na' }, 1],
      [{ left: 'a ', right: ' a' }, 2],
    ])
    const use = { phrase: 0, uses: 3, spaces: 2, places }
    const free = listSymbols(tokenizer).filter(({ takesSpace }) => !takesSpace)
    for (const { symbol, gain } of claimSymbols([use], free, {
      tokenizer,
      tally: (text) => tokenizer.countTokens(text),
    })) {
      expect([symbol.term, gain]).toEqual([symbol.term, 0])
    }
  })
})
