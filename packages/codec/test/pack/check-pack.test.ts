import { expect, test } from 'vitest'
import { checkPack, type PackCheckName } from '../../src/pack/check-pack.ts'
import { sealPack } from '../../src/pack/digests.ts'
import { serializePack } from '../../src/pack/pack-fields.ts'
import type { Pack } from '../../src/pack/pack-schema.ts'
import { samplePack } from '../../../test-kit/test/sign-pack.ts'

// prettier-ignore
const ALL: PackCheckName[] = [
  'schema', 'id', 'pack_digest', 'header', 'round_trip', 'token_count', 'rosetta_tokens',
  'uncompressed_estimate', 'savings_pct', 'net_savings_pct', 'preview',
]

const findFailed = async (input: unknown): Promise<string[]> =>
  (await checkPack(input)).filter(({ ok }) => !ok).map(({ name }) => name)

test('a good pack passes every check', async () => {
  const checks = await checkPack(serializePack(samplePack))
  expect(checks.map(({ name }) => name)).toEqual(ALL)
  expect(checks.filter(({ ok }) => !ok)).toEqual([])
})

test.each<[string, Partial<Pack>, PackCheckName[]]>([
  ['another slug', { slug: 'tls' }, ['id']],
  ['another id', { id: 'pk_00000000000000000000000000' }, ['id']],
  ['one token less', { token_count: 29 }, ['token_count']],
  ['one header token less', { rosetta_tokens: 9 }, ['rosetta_tokens']],
  ['more to begin with', { uncompressed_estimate: 99 }, ['uncompressed_estimate']],
  ['more saved', { savings_pct: 14.3 }, ['savings_pct']],
  ['the header forgotten', { net_savings_pct: 14.29 }, ['net_savings_pct']],
  ['a preview too long', { preview_content: samplePack.content, preview_tokens: 30 }, ['preview']],
  ['no wrong preview of a short pack', { preview_content: '# CTL\n\nEvery CTL', preview_tokens: 7 }, []],
  ['no wrong empty preview of earlier versions', { preview_content: '', preview_tokens: 0 }, []],
  ['a preview that is no prefix', { preview_content: '# CTL\n\nevery' }, ['preview']],
  ['a preview token less', { preview_tokens: 4 }, ['preview']],
  ['another body', { sha256: '0'.repeat(64) }, ['round_trip']],
  ['entries under none', { compression: 'none' }, ['header', 'rosetta_tokens', 'net_savings_pct']],
  [
    'a header of its own kind',
    { rosetta: samplePack.rosetta.replace('CTL=', 'CTL=\\') },
    ['header', 'round_trip'],
  ],
])('finds %s', async (_name, changes, failed) => {
  const { pack_digest: _, ...draft } = { ...samplePack, ...changes }
  expect(await findFailed(sealPack(draft))).toEqual(failed)
})

test('finds a change after the pack was sealed', async () => {
  expect(await findFailed({ ...samplePack, title: 'Other' })).toEqual(['pack_digest'])
})

test('finds changed content, and all consequences', async () => {
  const content = samplePack.content.replace('public', 'secret')
  expect(await findFailed({ ...samplePack, content })).toEqual(['pack_digest', 'round_trip'])
})

test('a bad shape is the only finding', async () => {
  const checks = await checkPack('{}')
  expect(checks.map(({ name, ok }) => [name, ok])).toEqual([['schema', false]])
})

test('returns the stated and the computed value', async () => {
  const { pack_digest: _, ...draft } = { ...samplePack, token_count: 29 }
  const check = (await checkPack(sealPack(draft))).find(({ name }) => name === 'token_count')
  expect(check).toEqual({
    name: 'token_count',
    ok: false,
    message: 'Tokens of the content: the pack says 29, found 30',
    stated: 29,
    found: 30,
  })
})

test('a legal preview that was cut elsewhere passes with a note', async () => {
  const { pack_digest: _, ...draft } = { ...samplePack, preview_content: '# CTL', preview_tokens: 3 }
  const check = (await checkPack(sealPack(draft))).find(({ name }) => name === 'preview')
  expect(check).toMatchObject({
    ok: true,
    message: 'Tokens of the preview: 3; this version would cut it elsewhere',
  })
})
