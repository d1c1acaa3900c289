import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'
import { decode, restore } from '../../src/index.ts'
import { MINIFY_RULES } from '../../src/minify/types.ts'
import type { BuildOptions, BuildResult } from '../../src/pack-builder/build-pack-sync.ts'
import { buildPack } from '../../src/pack-builder/build-pack.ts'
import { checkPack } from '../../src/pack/check-pack.ts'
import { digestText } from '../../src/pack/digests.ts'
import { parseSource } from '../../src/pack.ts'

const FRONT = '---\nslug: a\ntitle: A\ndomain: D\nsubdomain: S\ndifficulty: expert\n'
const ADDRESS = 'https://docs.example.com/guide/operators/rotate-keys-after-a-leak/2026'
const BODY = `# Keys\n\n<!-- Reviewed by the platform team in March. -->\n\nSee the [guide](${ADDRESS}) and the [other guide](${ADDRESS}/more/of/the/same?page=2).\n`
const TEXT = '# Keys\n\nSee the [guide](1) and the [other guide](2).\n'

const build = async (text: string, options?: BuildOptions, path = 'a.md'): Promise<BuildResult> => {
  const { source, messages } = parseSource(text, { path })
  if (source === undefined) throw new Error(messages.join('\n'))
  return buildPack(source, options)
}

describe('a pack is built from minified text by default', () => {
  test('with what restores its source, and counts against the source', async () => {
    const { pack, compression } = await build(`${FRONT}---\n${BODY}`)
    expect(pack).toMatchObject({
      format: 'packs/2',
      compression: 'minify-1',
      content: TEXT,
      rosetta: '[DECODE]',
      minify: { dialect: [], off: [] },
      links: [ADDRESS, `${ADDRESS}/more/of/the/same?page=2`],
      sha256: digestText(BODY),
      text_sha256: digestText(TEXT),
      token_count: countTokens(TEXT),
      rosetta_tokens: 0,
      uncompressed_estimate: countTokens(BODY),
    })
    expect(restore(pack!)).toBe(BODY)
    expect(restore(pack!, { frontMatter: true })).toBe(`${FRONT}---\n${BODY}`)
    expect(decode(pack!.content, pack!.rosetta)).toBe(TEXT)
    expect(compression).toMatchObject({ text: TEXT, withdrawn: 0, entries: [] })
    expect(pack!.savings_pct).toBe(pack!.net_savings_pct)
    expect((await checkPack(pack)).filter(({ ok, skipped }) => !ok || skipped)).toEqual([])
  })

  test('and is its source where nothing is to minify, without the fields', async () => {
    const { pack } = await build(`${FRONT}---\n# Keys\n\nNothing.\n`, {
      url: 'https://docs.example.com/keys',
    })
    expect(pack).toMatchObject({ format: 'packs/2', compression: 'none' })
    const fields = ['minify', 'text_sha256', 'links_sha256', 'patch_sha256', 'url', 'links', 'patch']
    expect(Object.keys(pack!).filter((field) => fields.includes(field))).toEqual([])
    expect((await build(`${FRONT}---\n${BODY}`, { scheme: 'none' })).pack).toMatchObject({
      compression: 'none',
      content: BODY,
    })
  })

  test('and without a header that pays, under a denser scheme too', async () => {
    const { pack, messages } = await build(`${FRONT}---\n${BODY}`, { scheme: 'dense-2' })
    expect(pack).toMatchObject({ compression: 'minify-1', content: TEXT })
    expect(messages.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/^No terms are used: no dense-2 header/),
    ])
  })
})

test('rules that are off, dialects and the URL are fields of the pack', async () => {
  const { pack } = await build(`${FRONT}---\n${BODY}`, {
    minify: { off: ['links', 'blank'], dialect: ['vue', 'hugo'] },
    url: 'https://docs.example.com/a b',
  })
  expect(pack).toMatchObject({
    minify: { dialect: ['hugo', 'vue'], off: ['links', 'blank'] },
    url: 'https://docs.example.com/a%20b',
    links: [],
  })
  expect(pack!.content).toContain(ADDRESS)
  const mdx = await build(`${FRONT}---\n${BODY}`, {}, 'a.mdx')
  expect(mdx.pack?.minify?.dialect).toEqual(['mdx'])
  expect((await build(`${FRONT}---\n${BODY}`, { minify: { off: MINIFY_RULES } })).pack?.compression).toBe(
    'none',
  )
  expect((await build(`${FRONT}---\n${BODY}`, { url: 'ftp://docs.example.com' })).pack).not.toHaveProperty(
    'url',
  )
})

test('a term that occurs only in what goes is no collision, and others have their places in the source', async () => {
  const glossary = 'glossary:\n  - {expansion: rotation of keys, term: RK}\n---\n'
  const fine = await build(
    `${FRONT}${glossary}<!-- RK: see the platform team. -->\n\nThe rotation of keys.\n`,
  )
  expect(fine.messages.filter(({ fatal }) => fatal)).toEqual([])
  const built = await build(`${FRONT}${glossary}${BODY}\nAn RK.\n`)
  expect(built.messages.map(({ line, column, ruleId }) => [line, column, ruleId])).toEqual([
    [10 + BODY.split('\n').length, 4, 'glossary-collision'],
  ])
})
