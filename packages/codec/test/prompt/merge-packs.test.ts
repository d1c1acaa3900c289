import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CodecError, decode, parseRosetta, serializeRosetta } from '../../src/index.ts'
import { decodePacks, mergePacks } from '../../src/prompt/merge-packs.ts'
import { contents, headers } from '../arbitraries.ts'
import { countRuns } from '../count-runs.ts'

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
  const first = { content: 'AA 漢', rosetta: '[DECODE] 漢=x|AA=an apple' }
  const second = { content: 'BA AA', rosetta: '[DECODE] BA=big AA|AA=an apple' }
  expect(mergeExactly([second, first]).rosetta).toBe('[DECODE] BA=big AA|漢=x|AA=an apple')
  expect(mergeExactly([first, second]).rosetta).toBe('[DECODE] 漢=x|BA=big AA|AA=an apple')
})

test('an acronym that an earlier pack uses for something else is written out: no acronym is made up', () => {
  const markup = { content: 'ML is not ML, ML, ML or ML', rosetta: '[DECODE] ML=markup language' }
  const { contents: texts, rosetta } = mergeExactly([learning, markup])
  expect(rosetta).toBe('[DECODE] ML=machine learning|DL=deep learning')
  expect(texts[1]).toBe(
    'markup language is not markup language, markup language, markup language or markup language',
  )
})

test.each(['ML', 'ml', 'Ml'])('an acronym that is the word %s of another pack is written out', (word) => {
  const plain = { content: `They call it ${word}.`, rosetta: '[DECODE]' }
  const { rosetta, contents: texts } = mergeExactly([plain, learning])
  expect(rosetta).toBe('[DECODE] DL=deep learning')
  expect(texts[1]).toBe('machine learning and DL, all of machine learning: machine learning.')
  expect(mergeExactly([learning, plain]).rosetta).toBe(rosetta)
})

test('so is one that is a word of the text around the contents', () => {
  expect(mergeExactly([learning], true, '<pack title="An ml">').rosetta).toBe('[DECODE] DL=deep learning')
})

test('a term that occurs only inside words of other packs stays', () => {
  const html = { content: 'HTML and MLs', rosetta: '[DECODE]' }
  expect(mergeExactly([learning, html]).rosetta).toBe(learning.rosetta)
})

const latin = 'The quick brown fox jumps over the lazy dog. '.repeat(30)
const letters = { content: `${latin}漢 漢 漢 漢 漢`, rosetta: '[DECODE] 漢=certificate transparency' }

test('a letter that clashes gets a letter that no pack has', () => {
  const other = { content: `${latin}漢 漢 漢 漢 漢`, rosetta: '[DECODE] 漢=machine learning models' }
  const { contents: texts, rosetta } = mergeExactly([letters, other])
  const [first, second] = parseRosetta(rosetta).entries
  expect(first).toEqual({ term: '漢', expansion: 'certificate transparency' })
  expect(second!.expansion).toBe('machine learning models')
  expect(second!.term).toMatch(/^(?!漢)\p{Script=Han}$/u)
  expect(texts[1]).toBe(latin + Array(5).fill(second!.term).join(' '))
})

test('a letter of a script that a source is written in gets a letter of another script', () => {
  const chinese = { content: '这是一个测试。'.repeat(20), rosetta: '[DECODE]' }
  expect(parseRosetta(mergeExactly([letters, chinese]).rosetta).entries).toEqual([
    { term: expect.stringMatching(/^\p{Script=Hangul}$/u), expansion: 'certificate transparency' },
  ])
  // A few letters do not make the script that of the sources, but they are no terms themselves.
  const few = { content: `${latin.repeat(9)}漢`, rosetta: '[DECODE]' }
  const [entry] = parseRosetta(mergeExactly([letters, few]).rosetta).entries
  expect(entry!.term).toMatch(/^(?!漢)\p{Script=Han}$/u)
})

test('letters are written out where the sources have every script', () => {
  const all = { content: '漢字かな한글ไทย'.repeat(30), rosetta: '[DECODE]' }
  const { contents: texts, rosetta } = mergeExactly([letters, all])
  expect(rosetta).toBe('[DECODE]')
  expect(texts[0]).toBe(latin + Array(5).fill('certificate transparency').join(' '))
})

test('a phrase is written out if another letter would not pay, unless that is not wanted', () => {
  const once = { content: `${latin}漢`, rosetta: '[DECODE] 漢=x-ray' }
  expect(mergeExactly([letters, once]).contents[1]).toBe(`${latin}x-ray`)
  expect(mergeExactly([letters, once], false).contents[1]).toMatch(/ \p{Script=Han}$/u)
})

test.each(['§', '※', '①', '5', 'x', '漢字', 'é'])(
  'a pack with the term %s is written as its source',
  (term) => {
    const built = { content: `ML ${term}, ${term}`, rosetta: `[DECODE] ML=machine learning|${term}=section` }
    expect(mergeExactly([built, learning])).toEqual({
      rosetta: learning.rosetta,
      contents: ['machine learning section, section', learning.content],
    })
  },
)

test('terms stay out of the expansions of other packs', () => {
  const nested = { content: 'AA AA AA', rosetta: '[DECODE] AA=the ML of BA|BA=old times' }
  expect(mergeExactly([nested, learning]).rosetta).toBe(
    '[DECODE] AA=the ML of BA|BA=old times|DL=deep learning',
  )
})

test('packs that use the same letters get others of one code point each', () => {
  const terms = Array.from({ length: 100 }, (_, index) => String.fromCharCode(0xac00 + 7 * index))
  const pack = (name: string): EncodedPack => ({
    content: `${latin.repeat(9)}${terms.map((term, index) => `${term} `.repeat(6 + index)).join('')}`,
    rosetta: serializeRosetta({
      entries: terms.map((term, index) => ({ term, expansion: `the ${name} with the number ${index}` })),
    }),
  })
  const { rosetta } = mergeExactly(['first', 'second', 'third'].map(pack))
  const { entries } = parseRosetta(rosetta)
  expect(entries).toHaveLength(300)
  expect(new Set(entries.map(({ term }) => term)).size).toBe(300)
  expect(entries.filter(({ term }) => /^[\p{Script=Han}\p{Script=Hangul}]$/u.test(term))).toHaveLength(300)
})

test('a pack uses the term that another one has for the same phrase', () => {
  const first = { content: 'ML and CT', rosetta: '[DECODE] ML=machine learning|CT=court' }
  const second = { content: 'CT, CT', rosetta: '[DECODE] CT=machine learning' }
  expect(mergeExactly([first, second]).rosetta).toBe('[DECODE] CT=court|ML=machine learning')
})

test('headers made to clash take bounded time', () => {
  const pack = (name: string): EncodedPack => ({
    content: 'A+'.repeat(20_000),
    rosetta: serializeRosetta({
      entries: Array.from({ length: 10_000 }, (_, index) => ({
        term: `${'A+'.repeat(20)}${index}`,
        expansion: name,
      })),
    }),
  })
  mergeExactly([pack('one'), pack('two'), { content: 'A+'.repeat(30_000), rosetta: '[DECODE]' }])
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
  const merged = mergePacks(decodePacks(packs), '')
  expect(merged.entries).toHaveLength(600)
  expect(merged.contents).toEqual(['A5', 'b'.repeat(4_000), 'c'.repeat(4_000)])
})

/** Headers with the terms that encoders choose, some of which stand in contents. */
const chosen = fc
  .uniqueArray(fc.tuple(fc.constantFrom('ML', 'MLT', 'T7', '漢', 'か', 'ー', '한', 'ก', '字'), contents), {
    maxLength: 6,
    selector: ([term]) => term,
  })
  .map((pairs) => pairs.map(([term, expansion]) => ({ term, expansion: expansion || ' ' })))

test.each([
  ['any', headers],
  ['chosen', chosen],
])('every pack is decoded by the header, for packs with %s terms', (_, list) => {
  const rosetta = list.map((entries) => serializeRosetta({ entries }))
  const packs = fc.array(fc.record({ content: contents, rosetta }), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(packs, contents, fc.boolean(), (built, reserved, writesOut) => {
      const merged = mergeExactly(built, writesOut, reserved)
      expect(decode(reserved, merged.rosetta)).toBe(reserved)
    }),
    { numRuns: countRuns(100) },
  )
})

test('a pack that does not decode is refused', () => {
  expect(() => decodePacks([learning, { content: '', rosetta: 'x' }])).toThrow(CodecError)
  const large = serializeRosetta({ entries: [{ term: 'X', expansion: 'x'.repeat(4000) }] })
  expect(() => decodePacks([{ content: 'X '.repeat(20_000), rosetta: large }])).toThrow(
    expect.objectContaining({ code: 'output_too_large' }),
  )
})

/** Merges the packs and expects that the header decodes every content. */
function mergeExactly(
  packs: readonly EncodedPack[],
  writesOut?: boolean,
  reserved = '',
): { readonly rosetta: string; readonly contents: readonly string[] } {
  const merged = mergePacks(decodePacks(packs), reserved, writesOut)
  const rosetta = serializeRosetta(merged)
  const sources = packs.map((pack) => decode(pack.content, pack.rosetta))
  expect(merged.contents.map((content) => decode(content, rosetta))).toEqual(sources)
  return { rosetta, contents: merged.contents }
}
