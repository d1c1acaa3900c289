import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'
import {
  buildPack,
  buildTogether,
  type BuildOptions,
  type SharedBuild,
} from '../../src/pack-builder/index.ts'
import { decode, parseRosetta, systemPrompt } from '../../src/index.ts'
import { checkPack, serializePack } from '../../src/pack/index.ts'
import { parseSource, type Source } from '../../src/source/index.ts'

const NAMED = 'title: A\ndomain: Guides\nsubdomain: S\ndifficulty: expert\n'

function readSource(slug: string, fields = '', body = writeBody(slug)): Source {
  const { source, messages } = parseSource(`---\nslug: ${slug}\n${NAMED}${fields}---\n${body}`, {
    path: `${slug}.md`,
  })
  if (source === undefined) throw new Error(messages.join('\n'))
  return source
}

function writeBody(name: string): string {
  const verbs = ['reads', 'writes', 'signs', 'trusts', 'audits', 'keeps', 'joins', 'leaves']
  const lines = verbs.map(
    (verb) =>
      `- ${name}${verb} certificate transparency log ${verb}${name} of a signed certificate timestamp\n`,
  )
  return `# ${name}\n\n${lines.join('')}`
}

const NAMES = ['tls', 'pki', 'dns']
const build = (fields: readonly string[] = [], options?: BuildOptions): Promise<SharedBuild> =>
  buildTogether(
    NAMES.map((name, at) => readSource(name, fields[at])),
    options,
  )

const errorsOf = ({ results }: SharedBuild): string[] =>
  results.flatMap(({ messages }) =>
    messages
      .filter(({ fatal }) => fatal)
      .map((message) => `${message.file}:${message.line} ${message.reason}`),
  )

describe('buildTogether', () => {
  test.each(['glossary-1', 'dense-1', 'max-1'] as const)(
    'builds packs that stand alone and together: %s',
    async (scheme) => {
      const { results, shared } = await build([], { scheme })
      const packs = results.map(({ pack }) => pack!)
      for (const [at, pack] of packs.entries()) {
        const body = writeBody(NAMES[at]!)
        expect(pack).toMatchObject({
          slug: NAMES[at],
          compression: scheme,
          rosetta_tokens: countTokens(pack.rosetta),
        })
        expect(decode(pack.content, pack.rosetta)).toBe(body)
        expect(decode(pack.content, shared!.rosetta)).toBe(body)
        expect((await checkPack(serializePack(pack))).filter(({ ok }) => !ok)).toEqual([])
        expect(pack.net_savings_pct).toBeGreaterThan(0)
      }
      const prompt = systemPrompt(packs)
      expect(parseRosetta(prompt.rosetta).entries).toHaveLength(parseRosetta(shared!.rosetta).entries.length)
      for (const pack of packs) expect(prompt.text).toContain(pack.content)
    },
  )

  test('builds nothing from no sources', async () => {
    expect(await buildTogether([])).toEqual({ results: [] })
  })

  test('builds a single pack like buildPack', async () => {
    const source = readSource('tls')
    const { results } = await buildTogether([source], { scheme: 'dense-1' })
    expect(results[0]?.pack).toEqual((await buildPack(source, { scheme: 'dense-1' })).pack)
  })

  test('merges glossaries: a pin applies to all packs', async () => {
    const pin = 'glossary:\n  - {expansion: certificate transparency log, term: TL}\n'
    const { results, shared } = await build([
      pin,
      '',
      'glossary:\n  - {expansion: certificate transparency log}\n',
    ])
    expect(shared?.rosetta).toContain('TL=certificate transparency log')
    for (const { pack } of results) expect(pack?.rosetta).toContain('TL=certificate transparency log')
  })

  test('reports a pin that occurs nowhere to its owner', async () => {
    const { results } = await build(['', 'glossary:\n  - {expansion: nowhere to be seen, term: NK}\n'])
    expect(results.map(({ messages }) => messages.map(({ ruleId, line }) => `${line} ${ruleId}`))).toEqual([
      [],
      ['8 pin-not-found'],
      [],
    ])
  })

  test.each([
    [
      'one phrase has two terms',
      ['glossary:\n  - {expansion: a log, term: AL}\n', 'glossary:\n  - {expansion: a log, term: LG}\n'],
      'One phrase has two terms, "AL" and "LG": "a log"',
    ],
    [
      'one term stands for two phrases',
      ['glossary:\n  - {expansion: a log, term: AL}\n', 'glossary:\n  - {expansion: all lists, term: AL}\n'],
      'One term stands for two phrases, "a log" and "all lists": "AL"',
    ],
    [
      'a phrase is pinned and forbidden',
      ['glossary:\n  - {expansion: a log, term: AL}\n', 'glossary:\n  - {expansion: a log, never: true}\n'],
      'One phrase is both replaced and never replaced: "a log"',
    ],
  ])('names both places where %s', async (_, fields, reason) => {
    const result = await build(fields)
    expect(result.shared).toBeUndefined()
    expect(errorsOf(result)).toEqual([
      `tls.md:8 ${reason} (see pki.md:8:5)`,
      `pki.md:8 ${reason} (see tls.md:8:5)`,
      'dns.md:4 Not built, because its header is shared and tls.md:8:5 has an error',
    ])
    expect(result.results.every(({ pack }) => pack === undefined)).toBe(true)
  })

  test('names the line of another text that contains a pinned term', async () => {
    const sources = [
      readSource('tls', 'glossary:\n  - {expansion: certificate transparency log, term: TL}\n'),
      readSource('pki', '', 'First.\n\nA tl; here.\n'),
    ]
    const result = await buildTogether(sources)
    expect(errorsOf(result)).toEqual([
      'tls.md:4 Not built, because its header is shared and pki.md:10:3 has an error',
      'pki.md:10 Term occurs in the text: "TL" (glossary of tls.md:8:53)',
    ])
  })

  test.each([
    ['compression: dense-1\n', 14, 'one compression: dense-1 here, glossary-1 at tls.md:1:1'],
    ['tokenizer: cl100k_base\n', 12, 'one tokenizer: cl100k_base here, o200k_base at tls.md:1:1'],
    ['code: true\n', 7, 'one code: true here, false at tls.md:1:1'],
  ])('refuses packs that do not agree: %j', async (field, column, reason) => {
    const result = await build(['', field])
    expect(errorsOf(result)).toEqual([
      `tls.md:4 Not built, because its header is shared and pki.md:7:${column} has an error`,
      `pki.md:7 Packs that share a header need ${reason}`,
      `dns.md:4 Not built, because its header is shared and pki.md:7:${column} has an error`,
    ])
  })

  test('accepts packs that agree through options', async () => {
    const { shared } = await build(['', 'compression: dense-1\n'], { scheme: 'dense-1' })
    expect(shared?.compressions.map(({ scheme }) => scheme)).toEqual(['dense-1', 'dense-1', 'dense-1'])
  })

  test('checks the budget of each pack with its own header', async () => {
    const result = await build(['budget: 10\n'])
    expect(errorsOf(result)).toEqual([expect.stringContaining('tls.md:7 The pack takes')])
    expect(result.results[1]?.pack).toBeDefined()
  })
})
