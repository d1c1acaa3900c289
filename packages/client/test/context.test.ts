import { expect, it } from 'vitest'
import { startApi } from '../../test-kit/test/start-api.ts'
import { createTestSigner } from '../../test-kit/test/sign-pack.ts'
import { makeVersion } from '../../test-kit/test/make-version.ts'
import { assembleClient } from '../src/create-client.ts'
import { openClientDocs } from '../src/open-docs.ts'
import { createMemoryCache, openDocs } from '../src/index.ts'

const texts = ['Rotate a certificate before it expires.', 'Water the walnut.']
const versions = texts.map((text, at) =>
  makeVersion({ slug: `pack-${at}`, content: `# Pack ${at}\n\n${text}\n` }),
)
const api = await startApi({ versions })
const url = `http://127.0.0.1:${api.port}`

it('returns the passages that answer, and asks again with the tag', async () => {
  const { key } = await api.addCustomer('pro', 10)
  const cache = createMemoryCache({ bytes: 100_000 })
  const client = assembleClient({ url, key, cache, timeout: 60_000 })
  const docs = await openClientDocs(client)
  const ask = () => docs.context('rotate a certificate', { budget: 500, packs: ['pack-0', 'pack-1'] })
  const found = await ask()
  expect(found).toMatchObject({
    budget: 500,
    stale: false,
    needed: null,
    passages: [{ pack: 'pack-0', title: 'pack-0', section: 'pack-0', version: '1.0.0', url: null }],
  })
  expect(found.passages[0]!.text).toContain('Rotate a certificate before it expires.')
  expect(found.text).toContain(found.passages[0]!.text)
  expect(await ask()).toEqual(found)
  expect(await client.usage()).toMatchObject({ used: 1 })
})

it('says what is wrong with a question', async () => {
  const docs = await openDocs({ url, key: api.pro.key })
  const code = 'invalid_option'
  await expect(docs.context('')).rejects.toMatchObject({ code, hint: 'Write a question or keywords.' })
  await expect(docs.context('walnut', { budget: '0' as never })).rejects.toMatchObject({ code })
  await expect(docs.context('walnut', { bugdet: 500 } as never)).rejects.toMatchObject({
    code,
    message: 'context has no option "bugdet"',
    hint: 'Its options are packs, budget, links, fill, signal.',
  })
  await expect(docs.context('walnut', { packs: ['x'] })).rejects.toMatchObject({ code: 'pack_not_found' })
  await expect(docs.context('walnut', { packs: [] })).rejects.toMatchObject({
    code,
    message: 'The option packs is not a list of one or more names',
  })
  await expect(docs.context('x'.repeat(401))).rejects.toMatchObject({ code })
  const wrong = [{ packs: ['pack-0@1.0.0'] }, { packs: null }, { links: 'x' }, { fill: 1 }, { signal: 5 }]
  for (const options of wrong)
    await expect(docs.context('walnut', options as never)).rejects.toMatchObject({ code })
  for (const filter of [{ domain: 'General' }, { domain: 5 }, { difficulty: 'hard' }])
    await expect(docs.search('walnut', filter as never)).rejects.toMatchObject({ code })
  await expect(docs.read('pack-0', { budget: 5 } as never)).rejects.toMatchObject({
    code: 'invalid_arguments',
    hint: 'Pass options as the last argument.',
  })
  for (const from of [undefined, 7, [], [''], 'https://x.example'])
    await expect(openDocs(from as never)).rejects.toMatchObject({ code })
  await docs.close()
  await expect(docs.list()).rejects.toMatchObject({ code, message: 'These documents are closed' })
  const { key } = await api.addCustomer('pro', 3)
  const poor = await openDocs({ url, key })
  await expect(poor.context('walnut', { budget: 16_000 })).rejects.toMatchObject({ code: 'quota_exceeded' })
})

it('answers with what is needed where nothing fits, and reads numbers in texts', async () => {
  const docs = await openDocs({ url, key: api.pro.key })
  const found = await docs.context('walnut', { budget: '12' as never })
  expect(found).toMatchObject({ text: '', passages: [], tokens: 0 })
  const { tokens, text } = await docs.context('walnut', { budget: found.needed! })
  expect([tokens, text.includes('Water the walnut.')]).toEqual([found.needed, true])
})

it('gives whole packs without a question', async () => {
  const docs = await openDocs({ url, key: api.pro.key })
  const { text, passages, tokens } = await docs.context(undefined, { packs: ['pack-1', 'pack-0'] })
  expect(text).toMatch(/<doc id="pack-1">\n# Pack 1\n\nWater the walnut\.\n<\/doc>\n<doc id="pack-0">/)
  expect(passages.map(({ pack, section }) => [pack, section])).toEqual([
    ['pack-1', null],
    ['pack-0', null],
  ])
  const few = await docs.context(undefined, { packs: ['pack-1', 'pack-0'], budget: 10 })
  expect(few).toMatchObject({ text: '', needed: tokens })
})

it('has no passages with signers, because these cannot be verified', async () => {
  const docs = await openDocs({ url, key: api.pro.key, signers: [createTestSigner(1).id] })
  await expect(docs.context('walnut')).rejects.toMatchObject({
    code: 'invalid_option',
    message: 'With signers a catalog gives no passages',
  })
})
