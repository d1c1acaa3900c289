import { describe, expect, it } from 'vitest'
import type { CompressError } from '../../src/compress/compress-error.ts'
import { compress } from '../../src/compress/compress.ts'
import type { CompressOptions } from '../../src/compress/types.ts'
import { decode } from '../../src/index.ts'
import { parsePack } from '../../src/pack/parse-pack.ts'
import { sealPack } from '../../src/pack/digests.ts'
import { parseSource } from '../../src/pack.ts'
import { samplePack } from '../../../test-kit/test/sign-pack.ts'
import '../load-o200k-base.ts'

const PHRASE = 'volatile xenon log'
const lines = (before: string): string =>
  Array.from(
    { length: 40 },
    (_, at) => `${before}${at * 7} ${PHRASE} of the quiet harbour ${40 - at}.\n`,
  ).join('')
const CODE = `\`\`\`sh\n${lines('run')}\`\`\`\n`
const TEXT = `# Harbour\n\n${lines('Day ')}\n${CODE}\n- ${lines('    ').trimStart()}`

describe('minify-1', () => {
  const glossary = [{ expansion: PHRASE, term: 'VXL' }, { expansion: 'quiet harbour' }]

  it('refuses dialects and rules that it does not know', () => {
    for (const minify of [{ off: ['link'] }, { dialect: ['jekyll'] }, { dialect: ['links'] }])
      expect(() => compress(TEXT, { minify } as unknown as CompressOptions)).toThrow(
        /Unknown name in minify\.(off: "link"|dialect: "(jekyll|links)")/,
      )
  })

  it('has only the terms of the author, and none in code, headings, addresses and tags', () => {
    const parts = [
      `[a](<${PHRASE}>)`,
      `\`${PHRASE}\``,
      `<Tip at={b} title="${PHRASE}">`,
      `<Tab at="a>b" title="${PHRASE}">`,
      `<Tab at='a>b' of={c > d} in={[{ e: f > g }]} title="${PHRASE}">`,
      `<!-- ${PHRASE} -->`,
      `{{< a "${PHRASE}" >}}`,
      `{% a ${PHRASE} %}`,
      `$$${PHRASE}$$`,
    ]
    const text = `## ${PHRASE}\n\n${lines('Day ')}\nSee ${parts.join(' and ')}.\n\n${CODE}`
    const { content, entries, scheme, notes } = compress(text, {
      glossary,
      minify: { off: ['comments'] },
      worthHeader: { percent: 0, tokens: 0 },
    })
    expect(scheme).toBe('minify-1')
    expect(entries.map(({ term, expansion }) => [term, expansion])).toEqual([['VXL', PHRASE]])
    expect(content.split('VXL')).toHaveLength(41)
    for (const kept of [`## ${PHRASE}\n`, ...parts, CODE]) expect(content).toContain(kept)
    expect(notes.map(({ rule, code }) => [rule, code])).toEqual([[1, 'pin_excluded']])
  })

  it('is the text without a term that pays', () => {
    for (const rules of [[], [{ expansion: PHRASE }], [{ expansion: 'nowhere', term: 'NWH' }]]) {
      const { content, entries } = compress(TEXT, { glossary: rules })
      expect({ content, entries }).toEqual({ content: TEXT, entries: [] })
    }
  })
})

describe.each(['dense-2', 'max-2'] as const)('code under %s', (scheme) => {
  const build = (options: CompressOptions) => compress(TEXT, { scheme, ...options })

  it('has entries, unless it is excluded', () => {
    const every = build({})
    expect(decode(every.content, every.rosetta)).toBe(TEXT)
    expect(every.content).not.toContain(CODE)
    const { content, rosetta, entries } = build({ code: false })
    expect(decode(content, rosetta)).toBe(TEXT)
    expect(content).toContain(`\n${CODE}`)
    expect(content.split(PHRASE).length).toBeLessThan(TEXT.split(PHRASE).length)
    expect(entries.length).toBeGreaterThan(0)
  })
})

describe('the names of packs/1', () => {
  it.each([
    ['glossary-1', 'minify-1'],
    ['dense-1', 'dense-2'],
    ['max-1', 'max-2'],
  ] as const)('%s is refused in favor of %s, and read in documents', (old, next) => {
    const hint = `Use ${next}, which replaces ${old}.`
    const failed = (): unknown => compress('a', { scheme: old as never })
    expect(failed).toThrow(expect.objectContaining({ code: 'invalid_scheme', hint }) as CompressError)
    const { messages } = parseSource(`---\nslug: a\ncompression: ${old}\n---\nText\n`, { path: 'a.md' })
    expect(messages.map(({ line, ruleId, note }) => [line, ruleId, note])).toContainEqual([
      3,
      'invalid-value',
      hint,
    ])
    const { pack_digest: _, ...draft } = samplePack
    expect(parsePack(sealPack({ ...draft, compression: old })).compression).toBe(old)
  })

  it('other names are refused with the list', () => {
    const hint = 'Use none, minify-1, dense-2, max-2.'
    expect(() => compress('a', { scheme: 'constructor' as never })).toThrow(
      expect.objectContaining({ hint }) as CompressError,
    )
  })
})
