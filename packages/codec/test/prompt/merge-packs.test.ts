import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CodecError, decode, parseRosetta, serializeRosetta } from '../../src/index.ts'
import { SYMBOLS } from '../../src/prompt/free-terms.ts'
import { mergePacks } from '../../src/prompt/merge-packs.ts'
import { loadTokenizer } from '../../src/tokens/index.ts'
import { contents, headers } from '../arbitraries.ts'

interface EncodedPack {
  readonly content: string
  readonly rosetta: string
}

const learning = {
  content: 'ML and DL, all of ML: ML.',
  rosetta: '[DECODE] ML=machine learning|DL=deep learning',
}

test('a shared pair is written once', () => {
  const other = { content: 'ML in short', rosetta: '[DECODE] XY=unused|ML=machine learning' }
  expect(mergeExactly([learning, other])).toEqual({
    rosetta: '[DECODE] DL=deep learning|XY=unused|ML=machine learning',
    contents: [learning.content, other.content],
  })
})

test('a shared pair stays after the entries that use it', () => {
  const first = { content: 'A §', rosetta: '[DECODE] §=x|A=an apple' }
  const second = { content: 'B A', rosetta: '[DECODE] B=big A|A=an apple' }
  expect(mergeExactly([second, first]).rosetta).toBe('[DECODE] B=big A|§=x|A=an apple')
  expect(mergeExactly([first, second]).rosetta).toBe('[DECODE] §=x|B=big A|A=an apple')
})

test('a later pack that uses a term with another meaning gets another term', () => {
  const markup = { content: 'ML is not ML, ML, ML or ML', rosetta: '[DECODE] ML=markup language' }
  const { contents: texts, rosetta } = mergeExactly([learning, markup])
  expect(rosetta).toBe('[DECODE] ML=machine learning|DL=deep learning|MLA=markup language')
  expect(texts[1]).toBe('MLA is not MLA, MLA, MLA or MLA')
})

test('a phrase is written out if another term would not pay, unless that is not wanted', () => {
  const markup = { content: 'one ML', rosetta: '[DECODE] ML=markup language' }
  const { contents: texts, rosetta } = mergeExactly([learning, markup])
  expect(rosetta).toBe('[DECODE] ML=machine learning|DL=deep learning')
  expect(texts[1]).toBe('one markup language')
  expect(mergeExactly([learning, markup], false).contents[1]).toBe('one MLA')
})

test('a term that is plain text in another pack, earlier or later, is replaced', () => {
  const plain = { content: 'They call it ML, not MLA.', rosetta: '[DECODE]' }
  const { rosetta } = mergeExactly([plain, learning])
  expect(rosetta).toBe('[DECODE] MLB=machine learning|DL=deep learning')
  expect(mergeExactly([learning, plain]).rosetta).toBe(rosetta)
})

test('a term that occurs only inside words of other packs stays', () => {
  const html = { content: 'HTML and MLs', rosetta: '[DECODE]' }
  expect(mergeExactly([learning, html]).rosetta).toBe(learning.rosetta)
})

test('a new word occurs in no text as a whole word, in upper or lower case', () => {
  const plain = { content: 'ML mla, MLBs and DML', rosetta: '[DECODE]' }
  expect(mergeExactly([learning, plain]).rosetta).toBe('[DECODE] MLB=machine learning|DL=deep learning')
})

test('a symbol is replaced by a symbol', () => {
  const section = { content: 'x§§, §, §, §, §', rosetta: '[DECODE] §=section' }
  const sign = { content: 'a§', rosetta: '[DECODE]' }
  expect(mergeExactly([section, sign]).contents[0]).toBe('x※※, ※, ※, ※, ※')
})

test('terms stay out of the expansions of other packs', () => {
  const nested = { content: 'A A A', rosetta: '[DECODE] A=the ML of B|B=old times' }
  expect(mergeExactly([nested, learning]).rosetta).toContain('|MLA=machine learning|')
})

test('packs that use the same symbols get others, the most frequent first', () => {
  const symbols = Array.from({ length: 100 }, (_, index) => String.fromCharCode(0x2190 + index))
  const pack = (name: string): EncodedPack => ({
    content: symbols.map((symbol, index) => `${symbol} `.repeat(3 + index)).join(''),
    rosetta: serializeRosetta({
      entries: symbols.map((term, index) => ({ term, expansion: `the ${name} with the number ${index}` })),
    }),
  })
  const { rosetta } = mergeExactly(['first', 'second', 'third'].map(pack))
  const lengths = parseRosetta(rosetta).entries.map(({ term }) => term.length)
  expect(lengths.filter((length) => length === 1).length).toBeGreaterThan(100 + SYMBOLS.length - 5)
  expect(lengths).toHaveLength(300)
  expect(rosetta).toMatch(/\|.=the third with the number 99/)
  expect(rosetta).toMatch(/\|..=the third with the number 0/)
})

test('a pack uses the term that another one has for the same phrase', () => {
  const first = { content: 'ML and CT', rosetta: '[DECODE] ML=machine learning|CT=court' }
  const second = { content: 'CT, CT', rosetta: '[DECODE] CT=machine learning' }
  expect(mergeExactly([first, second]).rosetta).toBe('[DECODE] CT=court|ML=machine learning')
})

test('headers made to clash take bounded time', () => {
  const pack = (name: string): EncodedPack => ({
    content: '+'.repeat(20_000),
    rosetta: serializeRosetta({
      entries: Array.from({ length: 10_000 }, (_, index) => ({
        term: `${'+'.repeat(40)}${index}`,
        expansion: name,
      })),
    }),
  })
  mergeExactly([pack('one'), pack('two'), { content: '+'.repeat(30_000), rosetta: '[DECODE]' }])
})

test('packs whose entries exceed a header are merged in part', () => {
  const packs = ['A', 'B', 'C'].map((letter) => ({
    content: `${letter}5`,
    rosetta: serializeRosetta({
      entries: Array.from({ length: 600 }, (_, index) => ({
        term: `${letter}${index}`,
        expansion: letter.toLowerCase().repeat(4_000),
      })),
    }),
  }))
  const merged = mergePacks(packs)
  expect(merged.entries).toHaveLength(600)
  expect(merged.contents).toEqual(['A5', 'b'.repeat(4_000), 'c'.repeat(4_000)])
})

test('every pack is decoded by the header, for any packs', () => {
  const packs = fc.array(
    fc.record({ content: contents, rosetta: headers.map((entries) => serializeRosetta({ entries })) }),
    { minLength: 1, maxLength: 4 },
  )
  fc.assert(
    fc.property(packs, fc.boolean(), (list, writesOut) => {
      mergeExactly(list, writesOut)
    }),
    { numRuns: 400 },
  )
})

test('a pack that does not decode is refused', () => {
  expect(() => mergePacks([learning, { content: '', rosetta: 'x' }])).toThrow(CodecError)
  const large = serializeRosetta({ entries: [{ term: 'X', expansion: 'x'.repeat(4000) }] })
  expect(() => mergePacks([{ content: 'X '.repeat(20_000), rosetta: large }])).toThrow(
    expect.objectContaining({ code: 'output_too_large' }),
  )
})

test('symbols for new terms are one token each, stable under NFKC, no marks, and never a part of words', async () => {
  const tokenizers = await Promise.all([loadTokenizer('o200k_base'), loadTokenizer('cl100k_base')])
  expect(new Set(SYMBOLS).size).toBe(SYMBOLS.length)
  for (const symbol of SYMBOLS) {
    expect(tokenizers.map((tokenizer) => tokenizer.countTokens(symbol))).toEqual([1, 1])
    expect(symbol.normalize('NFKC')).toBe(symbol)
    expect(symbol).toMatch(/^(?:[\p{P}\p{S}]|[\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Han}])$/u)
  }
})

/** Merges the packs and expects that the header decodes every content. */
function mergeExactly(
  packs: readonly EncodedPack[],
  writesOut?: boolean,
): { readonly rosetta: string; readonly contents: readonly string[] } {
  const merged = mergePacks(packs, writesOut)
  const rosetta = serializeRosetta(merged)
  const sources = packs.map((pack) => decode(pack.content, pack.rosetta))
  expect(merged.contents.map((content) => decode(content, rosetta))).toEqual(sources)
  return { rosetta, contents: merged.contents }
}
