import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compress } from '../../src/compress/compress.ts'
import {
  type BodySlice,
  createSlicer,
  measurePreview,
  type SlicerInput,
} from '../../src/sections/slice-body.ts'
import { splitSections } from '../../src/sections/split-sections.ts'
import { loadTokenizer } from '../../src/tokens/load-tokenizer.ts'
import '../load-o200k-base.ts'
import { decode, serializeRosetta } from '../../src/index.ts'
import { framePacks } from '../../src/frame-packs.ts'
import type { Scheme } from '../../src/types.ts'
import { contents, headers } from '../arbitraries.ts'
import { readCorpus } from '../tokens/corpus.ts'
import { countTokens } from '../tokens/count-by-library.ts'
import { sectionDocuments } from './section-documents.ts'
import { countRuns } from '../../../test-kit/test/count-runs.ts'

const tokenizer = await loadTokenizer('o200k_base')

interface SliceInput extends SlicerInput {
  readonly start: number
  readonly end: number
}

function sliceBody({ start, end, ...pack }: SliceInput): BodySlice {
  return createSlicer(pack).slice(start, end)
}

const packOf = (content: string, rosetta: string): SlicerInput => ({
  content,
  rosetta,
  compression: 'dense-2',
  body: decode(content, rosetta),
  tokenizer,
})

const compressBody = (body: string, scheme: Scheme): SlicerInput => {
  const { content, rosetta, scheme: compression } = compress(body, { scheme })
  return { content, rosetta, compression, body, tokenizer }
}

const PHRASE = 'the certificate transparency log of the authority'
/** A pack with a term that pays in every section, and one that none but the last uses. */
const PACK = packOf(
  `# One\n\n${'Read CTL. '.repeat(30)}\n\n# Two\n\nCTL\n\n# Three\n\n${'AB, CTL. '.repeat(30)}`,
  `[DECODE] AB=as CTL says|CTL=${PHRASE}|ZZ=unused words`,
)

function expectExact(slice: BodySlice, text: string): void {
  expect(decode(slice.content, slice.rosetta) === text).toBe(true)
  expect(slice.token_count).toBe(countTokens(slice.content))
  expect(slice.uncompressed_estimate).toBe(countTokens(text))
  expect(slice.rosetta_tokens).toBe(slice.compression === 'none' ? 0 : countTokens(slice.rosetta))
  expect(slice.token_count + slice.rosetta_tokens).toBeLessThanOrEqual(slice.uncompressed_estimate)
  expect(slice.net_savings_pct).toBeGreaterThanOrEqual(0)
  expect(slice.sha256).toBe(createHash('sha256').update(text).digest('hex'))
}

/** Slices all sections and subtrees, and returns how many of the slices are compressed. */
function sliceAll(pack: SlicerInput): number {
  const slicer = createSlicer(pack)
  let compressed = 0
  for (const { start, end, subtreeEnd } of splitSections(pack.body)) {
    for (const to of new Set([end, subtreeEnd])) {
      const slice = slicer.slice(start, to)
      expectExact(slice, pack.body.slice(start, to))
      if (slice.compression !== 'none') compressed++
    }
  }
  return compressed
}

describe('a slice', () => {
  const [one, two] = splitSections(PACK.body).map(({ start, end }) => sliceBody({ ...PACK, start, end }))

  test('has a header of just the entries that it uses', () => {
    const rosetta = `[DECODE] CTL=${PHRASE}`
    const content = `# One\n\n${'Read CTL. '.repeat(30)}\n\n`
    const text = `# One\n\n${`Read ${PHRASE}. `.repeat(30)}\n\n`
    const [tokens, header, full] = [content, rosetta, text].map(countTokens) as [number, number, number]
    expect(one).toEqual({
      content,
      rosetta,
      compression: 'dense-2',
      token_count: tokens,
      rosetta_tokens: header,
      uncompressed_estimate: full,
      net_savings_pct: Math.round(10_000 * (1 - (tokens + header) / full)) / 100,
      sha256: createHash('sha256').update(text).digest('hex'),
    })
  })

  test('is plain where the header does not pay', () => {
    const text = `# Two\n\n${PHRASE}\n\n`
    expect(two).toEqual({
      content: text,
      rosetta: '[DECODE]',
      compression: 'none',
      token_count: countTokens(text),
      rosetta_tokens: 0,
      uncompressed_estimate: countTokens(text),
      net_savings_pct: 0,
      sha256: createHash('sha256').update(text).digest('hex'),
    })
  })

  test('is plain where the header pays, but saves less than 40 tokens', () => {
    const content = `# A\n\n${'CTL, '.repeat(15)}`
    const pack = packOf(content, `[DECODE] CTL=${PHRASE}`)
    const prompt = framePacks([{}], [content], pack.rosetta)
    const saved = countTokens(pack.body) - countTokens(prompt)
    expect(saved).toBeGreaterThan(0)
    expect(saved).toBeLessThan(40)
    expect(sliceBody({ ...pack, start: 0, end: pack.body.length })).toMatchObject({
      content: pack.body,
      rosetta: '[DECODE]',
      compression: 'none',
    })
  })

  test('is plain if the pack is', () => {
    const body = '# A\n\n' + 'some words '.repeat(20)
    const plain = { content: body, rosetta: '[DECODE]', compression: 'none', body, tokenizer } as const
    expect(sliceBody({ ...plain, start: 0, end: 9 })).toMatchObject({
      content: '# A\n\nsome',
      compression: 'none',
    })
  })

  test('expands a use that its start or its end divides', () => {
    const pack = packOf(
      `# A\n${'CTL '.repeat(30)}§B\n${'CTL '.repeat(30)}`,
      `[DECODE] §=end of it\\n# |CTL=${PHRASE}`,
    )
    const [a, b] = splitSections(pack.body).map(({ start, end }) => sliceBody({ ...pack, start, end }))
    expect(a).toMatchObject({
      content: `# A\n${'CTL '.repeat(30)}end of it\n`,
      rosetta: `[DECODE] CTL=${PHRASE}`,
    })
    expect(b).toMatchObject({ content: `# B\n${'CTL '.repeat(30)}`, rosetta: `[DECODE] CTL=${PHRASE}` })
  })

  test('is plain if the cut makes a use', () => {
    // In the pack "xCTL" is a word that contains no use. Its end alone would be one.
    const pack = packOf(`xCTL ${'CTL '.repeat(30)}`, `[DECODE] CTL=${PHRASE}`)
    const end = pack.body.length
    expect(sliceBody({ ...pack, start: 0, end }).compression).toBe('dense-2')
    expect(sliceBody({ ...pack, start: 1, end })).toMatchObject({
      content: pack.body.slice(1),
      compression: 'none',
    })
  })

  test('reads no more entries than its part has tokens', () => {
    const entries = Array.from({ length: 60_000 }, (_, index) => ({
      term: `T${index}`,
      expansion: `T${index + 1}`,
    }))
    const rosetta = serializeRosetta({ entries })
    const body = '# T60000\n'.repeat(5_000)
    const pack = {
      content: '# T0\n'.repeat(5_000),
      rosetta,
      compression: 'dense-2',
      body,
      tokenizer,
    } as const
    const slicer = createSlicer(pack)
    for (const { start, end } of splitSections(body))
      expect(slicer.slice(start, end).content).toBe('# T60000\n')
  })

  test('refuses an invalid header', () => {
    expect(() => sliceBody({ ...PACK, rosetta: '[DECODE] A', start: 0, end: 1 })).toThrow(
      expect.objectContaining({ code: 'missing_equals' }),
    )
  })
})

describe('the slices of every pack decode to their parts', () => {
  test('of any content and header, between any offsets', () => {
    fc.assert(
      fc.property(headers, contents, fc.array(fc.nat(400), { maxLength: 6 }), (entries, content, places) => {
        const pack = packOf(content.toWellFormed(), serializeRosetta({ entries }))
        const offsets = places.map((place) => place % (pack.body.length + 1)).toSorted((a, b) => a - b)
        const slicer = createSlicer(pack)
        for (const [index, start] of offsets.entries()) {
          const end = offsets[index + 1] ?? pack.body.length
          const { content: part, rosetta } = slicer.slice(start, end)
          expect(decode(part, rosetta)).toBe(pack.body.slice(start, end))
        }
      }),
      { numRuns: countRuns(100) },
    )
  })

  test.each<Scheme>(['minify-1', 'dense-2', 'max-2'])('of random markdown under %s', (scheme) => {
    fc.assert(
      fc.property(sectionDocuments, fc.integer({ min: 1, max: 4 }), (body, times) => {
        sliceAll(compressBody(body.repeat(times), scheme))
      }),
      { numRuns: countRuns(10) },
    )
  })

  test.each<Scheme>(['dense-2', 'max-2'])('of real documents under %s', { timeout: 120_000 }, (scheme) => {
    const documents = readCorpus()
    const some = documents.filter((_, index) => index % 2 === SCHEMES.indexOf(scheme) - 1)
    // Few sections repeat enough for a header of their own, so each document gets one that does.
    const log = Array.from({ length: 60 }, (_, at) => `${at} volatile xenon log ${60 - at}.\n`).join('')
    let compressed = 0
    for (const body of some) compressed += sliceAll(compressBody(`${body}\n\n# Log\n\n${log}`, scheme))
    expect(some.length).toBeGreaterThanOrEqual(3)
    expect(compressed).toBeGreaterThan(0)
  })
})

const SCHEMES: readonly Scheme[] = ['minify-1', 'dense-2', 'max-2']

test('measurePreview is the length of the decoded preview', () => {
  const preview_content = 'Read CTL. §'
  const rosetta = '[DECODE] CTL=a \u{1F600} log|§=section'
  expect(measurePreview({ preview_content, rosetta })).toBe('Read a \u{1F600} log. section'.length)
  expect(measurePreview({ preview_content: '', rosetta })).toBe(0)
})
