import { countTokens as countCl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, test } from 'vitest'
import type { BuildOptions, BuildResult } from '../../src/pack-builder/build-pack-sync.ts'
import { buildPack } from '../../src/pack-builder/build-pack.ts'
import { checkPack } from '../../src/pack/check-pack.ts'
import { serializePack } from '../../src/pack/pack-fields.ts'
import { parseSource } from '../../src/pack.ts'
import { decode } from '../../src/index.ts'

const NAMED = 'slug: a\ntitle: A\ndomain: D\nsubdomain: S\ndifficulty: expert\n'
const PHRASE = 'volatile xenon log'
const BODY = `# Logs\n\n${`Every ${PHRASE} is public. Nobody may change a ${PHRASE} later, and each ${PHRASE} answers.\n\n`.repeat(6)}`

/** A text in which an entry for the phrase is worth a header, and nothing else is repeated. */
const VARIED = Array.from({ length: 60 }, (_, at) => `${at} ${PHRASE} ${60 - at}.\n\n`).join('')

const build = async (text: string, options?: BuildOptions): Promise<BuildResult> => {
  const { source, messages } = parseSource(text, { path: 'a.md' })
  if (source === undefined) throw new Error(messages.join('\n'))
  return buildPack(source, options)
}

const listMessages = ({ messages }: BuildResult): string[] =>
  messages.map(
    ({ line, column, fatal, ruleId }) =>
      `${line}:${column} ${fatal === true ? 'error' : fatal === false ? 'warning' : 'info'} ${ruleId}`,
  )

test.each([
  ['dense-2', 'o200k_base', countTokens],
  ['max-2', 'o200k_base', countTokens],
  ['none', 'o200k_base', countTokens],
  ['dense-2', 'cl100k_base', countCl100k],
] as const)(
  'builds a verified pack, counted by the library of the tokenizer: %s, %s',
  async (scheme, tokenizer, count) => {
    const { pack, compression, messages } = await build(`---\n${NAMED}version: "1.2.3"\n---\n${BODY}`, {
      scheme,
      tokenizer,
    })
    expect(messages).toEqual([])
    expect(pack).toMatchObject({
      format: 'packs/2',
      // printf a | sha256sum, 130 bits in Crockford's base 32
      id: 'pk_sabr24pa3eywnyp266ssm8yw9p',
      slug: 'a',
      title: 'A',
      domain: 'D',
      domain_slug: 'd',
      subdomain: 'S',
      version: '1.2.3',
      difficulty: 'expert',
      compression: scheme,
      tokenizer,
    })
    if (pack === undefined) return
    expect(decode(pack.content, pack.rosetta)).toBe(BODY)
    expect(pack.token_count).toBe(count(pack.content))
    expect(pack.uncompressed_estimate).toBe(count(BODY))
    const header = scheme === 'none' ? 0 : count(pack.rosetta)
    expect(pack.rosetta_tokens).toBe(header)
    const percent = (paid: number): number => Number((100 * (1 - paid / count(BODY))).toFixed(2))
    expect(pack.savings_pct).toBeCloseTo(percent(count(pack.content)), 2)
    expect(pack.net_savings_pct).toBeCloseTo(percent(count(pack.content) + header), 2)
    expect(pack.preview_tokens).toBe(count(pack.preview_content))
    expect(pack.preview_tokens).toBeLessThanOrEqual(Math.max(0.2 * pack.token_count, 40))
    expect(compression?.content).toBe(pack.content)
    const checks = await checkPack(serializePack(pack))
    expect(checks.filter(({ ok }) => !ok)).toEqual([])
  },
)

test('the same source gives the same bytes', async () => {
  const [first, second] = [await build(BODY), await build(BODY)]
  expect(first.pack && serializePack(first.pack)).toBe(second.pack && serializePack(second.pack))
  expect(first.pack).toBeDefined()
})

test('options override the front matter; the default version is 0.0.0', async () => {
  const text = `---\n${NAMED}compression: none\ntokenizer: cl100k_base\nbudget: 1\n---\n${BODY}`
  const built = await build(text, { scheme: 'dense-2', tokenizer: 'o200k_base', budget: 100_000 })
  expect(built.pack).toMatchObject({ compression: 'dense-2', tokenizer: 'o200k_base', version: '0.0.0' })
  expect(listMessages(built)).toEqual([])
  expect((await build(text)).pack).toMatchObject({ compression: 'none', tokenizer: 'cl100k_base' })
})

test('an empty body builds, with a warning and percentages of 0', async () => {
  const built = await build(`---\n${NAMED}---\n`)
  expect(built.pack).toMatchObject({
    compression: 'none',
    token_count: 0,
    uncompressed_estimate: 0,
    savings_pct: 0,
    net_savings_pct: 0,
    rosetta: '[DECODE]',
    content: '',
    preview_content: '',
    // printf '' | sha256sum
    sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  })
  expect(listMessages(built)).toEqual(['8:1 info empty-body'])
  expect((await checkPack(built.pack)).filter(({ ok }) => !ok)).toEqual([])
})

const SHORT = 'Nothing here is ever said again.'
test.each([
  ['with a header', SHORT, { scheme: 'dense-2' }, 'no dense-2 header would save 2 % and 40 tokens after'],
  [
    'beyond a percentage',
    SHORT,
    { scheme: 'max-2', worthHeader: { percent: 1.5, tokens: 0 } },
    'no max-2 header would save 1.5 % after',
  ],
  [
    'beyond a number of tokens',
    SHORT,
    { scheme: 'dense-2', worthHeader: { percent: 0, tokens: 7 } },
    'no dense-2 header would save 7 tokens after',
  ],
  [
    'at all',
    '短い文。',
    { scheme: 'dense-2', worthHeader: { percent: 0, tokens: 0 } },
    'no dense-2 header would save a token after',
  ],
] as const)('says that no terms are used %s', async (_, text, options, reason) => {
  const built = await build(`---\n${NAMED}compression: minify-1\n---\n${text}\n`, options)
  expect(built.pack).toMatchObject({
    compression: 'none',
    savings_pct: 0,
    net_savings_pct: 0,
    rosetta_tokens: 0,
  })
  expect(listMessages(built)).toEqual(['7:14 info no-terms'])
  expect(built.messages[0]?.reason).toContain(`No terms are used: ${reason}`)
})

test.each([
  ['dense-2', '日本語の短い文。', 'Join small documents, or choose a denser scheme.'],
  ['max-2', SHORT, 'Join small documents.'],
] as const)('says what to do where %s saves nothing of %j', async (scheme, text, hint) => {
  const { messages } = await build(`---\n${NAMED}---\n${text}\n`, { scheme })
  expect(messages.map(({ note }) => note)).toEqual([hint])
})

test('says that the budget is exceeded, header included, and builds', async () => {
  const { pack } = await build(`---\n${NAMED}compression: dense-2\n---\n${BODY}`)
  const needed = (pack?.token_count ?? 0) + (pack?.rosetta_tokens ?? 0)
  expect(pack?.rosetta_tokens).toBeGreaterThan(0)
  const over = await build(`---\n${NAMED}compression: dense-2\nbudget: ${needed - 1}\n---\n${BODY}`)
  expect(over.pack?.content).toBe(pack?.content)
  expect(listMessages(over)).toEqual(['8:9 error over-budget'])
  expect(over.messages[0]?.reason).toBe(
    `The pack takes ${needed} tokens, header included; the budget is ${needed - 1}`,
  )
  expect(
    listMessages(await build(`---\n${NAMED}compression: dense-2\nbudget: ${needed}\n---\n${BODY}`)),
  ).toEqual([])
  expect(listMessages(await build(BODY, { budget: 1 }))).toEqual(['1:1 error over-budget'])
})

test('a pinned term that occurs in the text: an error at every line of it, for every rule', async () => {
  const glossary = `glossary:\n  - {expansion: ${PHRASE}, term: CTL}\n  - {expansion: Nobody may change, term: NMC}\n`
  const built = await build(
    `---\n${NAMED}${glossary}---\n${BODY}A CTL and a CTL,\nan NMC.\r\nNo CTLs, a ctl.\n`,
  )
  expect(built.pack).toBeUndefined()
  expect(built.compression).toBeUndefined()
  const first = 10 + BODY.split('\n').length
  expect(listMessages(built)).toEqual([
    `${first}:3 error glossary-collision`,
    `${first + 1}:4 error glossary-collision`,
    `${first + 2}:12 error glossary-collision`,
  ])
  expect(built.messages[0]?.reason).toContain('"CTL"')
  expect(built.messages[0]?.reason).toContain('(glossary, line 8)')
  expect(built.messages[1]?.reason).toContain('"NMC"')
})

test('reports pins that are not found or do not pay', async () => {
  const glossary = `glossary:\n  - {expansion: ${PHRASE}, term: VX}\n  - {expansion: grey velvet, term: GV}\n`
  const built = await build(`---\n${NAMED}${glossary}---\n${VARIED}`)
  expect(built.pack?.rosetta).toContain(` VX=${PHRASE}`)
  expect(listMessages(built)).toEqual(['9:17 warning pin-not-found'])
  const rare = await build(
    `---\n${NAMED}glossary:\n  - {expansion: grey velvet, term: GV}\n---\n${BODY}It is grey velvet.\n`,
    { scheme: 'dense-2' },
  )
  expect(listMessages(rare)).toEqual(['8:17 info pin-does-not-pay'])
})

test('a verbatim region is not changed', async () => {
  const region = `<!-- pack:verbatim -->\nEvery ${PHRASE} is public.\n<!-- /pack -->`
  const { pack } = await build(`---\n${NAMED}---\n${BODY}${region}\n`, { scheme: 'dense-2' })
  expect(pack?.compression).toBe('dense-2')
  expect(pack?.content).toContain(region)
})
