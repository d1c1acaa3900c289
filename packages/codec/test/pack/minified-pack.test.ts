import { describe, expect, test } from 'vitest'
import { decode } from '../../src/decode/decode.ts'
import type { PatchRow } from '../../src/minify/types.ts'
import { restore } from '../../src/minify/restore-text.ts'
import { checkPack } from '../../src/pack/check-pack.ts'
import { digestPack, digestRows, digestText, sealPack } from '../../src/pack/digests.ts'
import { computeSavingsPercent, serializePack } from '../../src/pack/pack-fields.ts'
import type { Pack } from '../../src/pack/pack-schema.ts'
import { parsePack } from '../../src/pack/parse-pack.ts'
import { loadTokenizer } from '../../src/tokens/load-tokenizer.ts'
import { samplePack } from '../../../test-kit/test/sign-pack.ts'

const text = decode(samplePack.content, samplePack.rosetta)
const tokenizer = await loadTokenizer('o200k_base')

/** A pack of the sample's text with the source that a patch makes of it. All its digests and counts are right. */
function patchSample(patch: readonly PatchRow[], links: readonly string[] = []): Pack {
  const { pack_digest: _, ...draft } = samplePack
  const source = restore({ ...samplePack, patch })
  const full = tokenizer.countTokens(source)
  return sealPack({
    ...draft,
    format: 'packs/2',
    compression: 'dense-2',
    minify: { dialect: [], off: [] },
    uncompressed_estimate: full,
    savings_pct: computeSavingsPercent(samplePack.token_count, full),
    net_savings_pct: computeSavingsPercent(samplePack.token_count + samplePack.rosetta_tokens, full),
    sha256: digestText(source),
    text_sha256: digestText(text),
    links_sha256: digestRows(links),
    patch_sha256: digestRows(patch),
    url: 'https://docs.example/tls/',
    links,
    patch,
  })
}

const minified = patchSample([])

const findFailed = async (pack: object): Promise<string[]> =>
  (await checkPack(pack)).filter(({ ok }) => !ok).map(({ name }) => name)

describe('a minified pack', () => {
  test('passes every check, those of its text, links and patch among them', async () => {
    const checks = await checkPack(serializePack(minified))
    // prettier-ignore
    expect(checks.map(({ name }) => name)).toEqual([
      'schema', 'id', 'pack_digest', 'header', 'text', 'links', 'patch', 'round_trip', 'minify', 'token_count',
      'rosetta_tokens', 'uncompressed_estimate', 'savings_pct', 'net_savings_pct', 'preview',
    ])
    expect(checks.filter(({ ok, skipped }) => !ok || skipped)).toEqual([])
    const quick = await checkPack(minified, { again: false })
    expect(quick.map(({ name }) => name)).toEqual(
      checks.map(({ name }) => name).filter((name) => name !== 'minify'),
    )
  })

  test('has a digest that does not cover links and patch, but their digests', () => {
    expect(digestPack({ ...minified, links: ['/a'], patch: [[0, 0, 'a']] })).toBe(minified.pack_digest)
    const { links: _links, patch: _patch, ...rest } = minified
    expect(digestPack(rest)).toBe(minified.pack_digest)
    expect(digestPack({ ...minified, links_sha256: '0'.repeat(64) })).not.toBe(minified.pack_digest)
    expect(digestRows([])).toBe('4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945')
    expect(digestRows(['é', 'a"b'])).toBe(digestText('["é","a\\"b"]'))
    expect(digestRows([[1, 2, 'x']])).toBe(digestText('[[1,2,"x"]]'))
  })

  test('can come without links and patch: what needs them is not checked', async () => {
    const { links: _links, patch: _patch, ...rest } = minified
    const checks = await checkPack(serializePack(rest))
    expect(checks.filter(({ ok }) => !ok)).toEqual([])
    expect(checks.flatMap(({ name, skipped }) => (skipped ? [name] : []))).toEqual([
      'links',
      'patch',
      'round_trip',
      'minify',
      'uncompressed_estimate',
    ])
    expect(await findFailed({ ...rest, links: ['/a'] })).toEqual(['links'])
    expect(await findFailed({ ...rest, text_sha256: '0'.repeat(64) })).toEqual(['pack_digest', 'text'])
  })

  test.each<[string, Partial<Pack>, string[]]>([
    ['other links', { links: ['/a'] }, ['links', 'minify']],
    [
      'another patch',
      { patch: [[0, 0, 'Not so: ']] },
      ['patch', 'round_trip', 'minify', 'uncompressed_estimate', 'savings_pct', 'net_savings_pct'],
    ],
    ['a patch that leaves the text', { patch: [[9999, 0, 'a']] }, ['patch', 'round_trip', 'minify']],
    ['a rule that was off', { minify: { dialect: [], off: ['blank'] } }, ['pack_digest']],
  ])('with %s is refused', async (_name, changes, failed) => {
    expect(await findFailed({ ...minified, ...changes })).toEqual(failed)
  })
})

describe('a patch that shows people another text than models read', () => {
  const place = (words: string): number => text.indexOf(words)

  test.each<[string, Pack]>([
    ['hides a sentence', patchSample([[place(': what'), text.length - place(': what') - 2, '']])],
    ['drops "never"', patchSample([[place('never '), 6, '']])],
    ['adds "not"', patchSample([[place('public'), 0, 'not ']])],
    ['restores another document', patchSample([[0, text.length, '# Harmless\n']])],
    [
      'inserts a link',
      patchSample([[place('public'), 6, '[public](https://good.example)']], ['https://evil.example']),
    ],
  ])('%s: the pack is refused', async (_name, pack) => {
    expect(await findFailed(pack)).toEqual(['minify'])
    const check = (await checkPack(pack)).find(({ ok }) => !ok)
    expect(check?.message).toBe('Minifying the source gives another text than models read')
    expect(check?.hint).toMatch(/^Do not trust the source/)
  })
})

describe('parsePack', () => {
  const findIssues = (input: object): string[] => {
    try {
      parsePack(input)
      return []
    } catch (error) {
      return (error as { issues: { path: string; message: string }[] }).issues.map(
        ({ path, message }) => `${path} ${message}`,
      )
    }
  }

  test('ignores in packs/1 what packs/2 adds', () => {
    const { minify, text_sha256, links_sha256, patch_sha256, url, links, patch } = minified
    const later = { minify, text_sha256, links_sha256, patch_sha256, url, links, patch }
    expect(parsePack({ ...samplePack, ...later })).toEqual(samplePack)
  })

  test('wants all of it with a minified text, and none of it under none', () => {
    const { minify: _minify, patch_sha256: _digest, ...rest } = minified
    expect(findIssues(rest)).toEqual([
      `minify must be present under ${minified.compression}`,
      `patch_sha256 must be present under ${minified.compression}`,
    ])
    const none = { ...samplePack, format: 'packs/2', compression: 'none' }
    expect(parsePack(none)).toEqual(none)
    expect(findIssues({ ...minified, compression: 'dense-1' })).toEqual([
      'compression must be one of none, minify-1, dense-2, max-2 in packs/2',
    ])
    expect(findIssues({ ...none, url: minified.url, links: [] })).toEqual([
      'url must be absent under none',
      'links must be absent under none',
    ])
  })

  test.each<[string, object, RegExp]>([
    [
      'a rule of no version',
      { minify: { dialect: [], off: ['words'] } },
      /^minify\.off\.0 must be one of links, comments,/,
    ],
    [
      'an unknown dialect',
      { minify: { dialect: ['html'], off: [] } },
      /^minify\.dialect\.0 must be one of mdx,/,
    ],
    ['an unknown setting', { minify: { dialect: [], off: [], level: 2 } }, /^minify /],
    ['a short digest', { text_sha256: 'ab' }, /^text_sha256 must have the form/],
    ['a row that is none', { patch: [[0, 1]] }, /^patch must hold rows of an offset, a length and a text/],
    ['an address of two lines', { links: ['a\n[8]: b'] }, /^links must hold one line/],
    ['an address of a script', { url: 'javascript:alert(1)' }, /^url must have the form/],
    ['an address with a space', { url: 'https://a.example/b c' }, /^url must have the form/],
  ])('refuses %s', (_name, changes, message) => {
    expect(findIssues({ ...minified, ...changes })[0]).toMatch(message)
  })
})
