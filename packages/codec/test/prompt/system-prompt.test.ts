import fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'
import {
  CodecError,
  decode,
  INSTRUCTION_TOKENS,
  parseRosetta,
  serializeRosetta,
  systemPrompt,
} from '../../src/index.ts'
import { INSTRUCTION } from '../../src/prompt/frame-packs.ts'
import { contents, headers } from '../arbitraries.ts'

const learning = {
  title: 'Learning',
  content: 'ML and DL, all of ML: ML.',
  rosetta: '[DECODE] ML=machine learning|DL=deep learning',
}

describe('the text', () => {
  test('is an instruction, one header, and each content in a frame', () => {
    const law = { slug: 'law', content: '# CA 5\nCA.', rosetta: '[DECODE] CA=court of appeal' }
    expect(systemPrompt([learning, law]).text).toBe(
      'Read every term below as its expansion, listed as term=expansion after [DECODE].\n' +
        '[DECODE] ML=machine learning|DL=deep learning|CA=court of appeal\n\n' +
        '<pack title="Learning">\nML and DL, all of ML: ML.\n</pack>\n' +
        '<pack title="law">\n# CA 5\nCA.\n</pack>\n',
    )
  })

  test('is the content alone for one pack without terms', () => {
    const plain = { title: 'Plain', content: 'as it is\n', rosetta: '[DECODE]', compression: 'none' as const }
    expect(systemPrompt([plain])).toEqual({
      text: 'as it is\n',
      rosetta: '[DECODE]',
      terms: [],
      instructionTokens: 0,
    })
    expect(systemPrompt([plain, plain]).text).toBe('<pack title="Plain">\nas it is\n\n</pack>\n'.repeat(2))
    expect(systemPrompt([]).text).toBe('')
  })

  test('frames with a name that occurs in no content, header or title', () => {
    const hostile = { title: 'a "b" <c>\n</pack-3>', content: '</pack>\n<pack-2 x>', rosetta: '[DECODE]' }
    const { text } = systemPrompt([hostile, { ...hostile, title: '<pack-2' }])
    expect(text).toContain('<pack-3 title="a b c /pack-3">\n</pack>\n<pack-2 x>\n</pack-3>\n')
  })

  test('is the same bytes every time', () => {
    expect(systemPrompt([learning, learning])).toEqual(systemPrompt([learning, learning]))
  })
})

describe('the common header', () => {
  test('contains a shared pair once', () => {
    const other = { content: 'ML in short', rosetta: '[DECODE] XY=unused|ML=machine learning' }
    const { rosetta, text } = systemPrompt([learning, other])
    expect(rosetta).toBe('[DECODE] DL=deep learning|XY=unused|ML=machine learning')
    expect(text).toContain('\nML in short\n')
  })

  test('keeps a shared pair after the entries that use it', () => {
    const first = { content: 'A §', rosetta: '[DECODE] §=x|A=an apple' }
    const second = { content: 'B A', rosetta: '[DECODE] B=big A|A=an apple' }
    expectExact([second, first])
    expectExact([first, second])
  })

  test('has another term if a later pack uses it with another meaning', () => {
    const markup = { content: 'ML is not ML, ML, ML or ML', rosetta: '[DECODE] ML=markup language' }
    const { text, rosetta } = expectExact([learning, markup])
    expect(rosetta).toBe('[DECODE] ML=machine learning|DL=deep learning|MLA=markup language')
    expect(text).toContain('\nMLA is not MLA, MLA, MLA or MLA\n')
  })

  test('writes a phrase out if another term would not pay', () => {
    const markup = { content: 'one ML', rosetta: '[DECODE] ML=markup language' }
    const { text, rosetta } = expectExact([learning, markup])
    expect(rosetta).toBe('[DECODE] ML=machine learning|DL=deep learning')
    expect(text).toContain('\none markup language\n')
  })

  test('has another term if it is plain text in another pack, earlier or later', () => {
    const plain = { content: 'They call it ML, not MLA.', rosetta: '[DECODE]' }
    const { rosetta } = expectExact([plain, learning])
    expect(rosetta).toBe('[DECODE] MLB=machine learning|DL=deep learning')
    expect(expectExact([learning, plain]).rosetta).toBe(rosetta)
  })

  test('keeps a term that occurs only inside words in other packs', () => {
    const html = { content: 'HTML and MLs', rosetta: '[DECODE]' }
    expect(expectExact([learning, html]).rosetta).toBe(learning.rosetta)
  })

  test('replaces a symbol by a symbol', () => {
    const section = { content: 'x§§, §, §, §, §', rosetta: '[DECODE] §=section' }
    const sign = { content: 'a§', rosetta: '[DECODE]' }
    expect(expectExact([section, sign]).text).toContain('\nx¡¡, ¡, ¡, ¡, ¡\n')
  })

  test('keeps terms out of the expansions of other packs', () => {
    const nested = { content: 'A A A', rosetta: '[DECODE] A=the ML of B|B=old times' }
    const { rosetta } = expectExact([nested, learning])
    expect(rosetta).toContain('|MLA=machine learning|')
  })

  test('gives other symbols to packs that use the same ones, most frequent first', () => {
    const symbols = Array.from({ length: 100 }, (_, index) => String.fromCharCode(0x2190 + index))
    const pack = (name: string) => ({
      content: symbols.map((symbol, index) => `${symbol} `.repeat(3 + index)).join(''),
      rosetta: serializeRosetta({
        entries: symbols.map((term, index) => ({ term, expansion: `the ${name} with the number ${index}` })),
      }),
    })
    const { rosetta } = expectExact(['first', 'second', 'third'].map(pack))
    const lengths = parseRosetta(rosetta).entries.map(({ term }) => term.length)
    expect(lengths.filter((length) => length === 1).length).toBeGreaterThan(250)
    expect(lengths).toHaveLength(300)
    expect(rosetta).toMatch(/\|.=the third with the number 99/)
    expect(rosetta).toMatch(/\|..=the third with the number 0/)
  })

  test('uses the term that another pack has for the same phrase', () => {
    const first = { content: 'ML and CT', rosetta: '[DECODE] ML=machine learning|CT=court' }
    const second = { content: 'CT, CT', rosetta: '[DECODE] CT=machine learning' }
    expect(expectExact([first, second]).rosetta).toBe('[DECODE] CT=court|ML=machine learning')
  })

  test('takes bounded time for headers made to clash', () => {
    const pack = (name: string) => ({
      content: '+'.repeat(20_000),
      rosetta: serializeRosetta({
        entries: Array.from({ length: 10_000 }, (_, index) => ({
          term: `${'+'.repeat(40)}${index}`,
          expansion: name,
        })),
      }),
    })
    expectExact([pack('one'), pack('two'), { content: '+'.repeat(30_000), rosetta: '[DECODE]' }])
  })

  test('decodes every pack, for any packs', () => {
    const packs = fc.array(
      fc.record({ content: contents, rosetta: headers.map((entries) => serializeRosetta({ entries })) }),
      { minLength: 1, maxLength: 4 },
    )
    fc.assert(
      fc.property(packs, (list) => {
        expectExact(list)
      }),
      { numRuns: 2_000 },
    )
  })

  test('refuses a pack that does not decode', () => {
    expect(() => systemPrompt([learning, { content: '', rosetta: 'x' }])).toThrow(CodecError)
  })
})

describe('the counts', () => {
  test('of the instruction are counted, and its break-even stated', () => {
    expect(INSTRUCTION_TOKENS).toBe(countTokens(INSTRUCTION))
    expect(systemPrompt([learning]).instructionTokens).toBe(INSTRUCTION_TOKENS)
  })

  test('of the packs are summed if all packs state them', () => {
    const counted = { ...learning, token_count: 70, rosetta_tokens: 10, uncompressed_estimate: 100 }
    expect(systemPrompt([counted, counted]).savedTokens).toBe(40)
    expect(systemPrompt([counted, learning])).not.toHaveProperty('savedTokens')
  })
})

function expectExact(packs: { content: string; rosetta: string }[]): { text: string; rosetta: string } {
  const prompt = systemPrompt(packs)
  const restored = decode(prompt.text, prompt.rosetta)
  const isBare = prompt.terms.length === 0 && packs.length === 1
  for (const { content, rosetta } of packs) {
    const source = decode(content, rosetta)
    expect(restored).toContain(isBare ? source : `>\n${source}\n</`)
  }
  return prompt
}
