import { beforeEach, describe, expect, it } from 'vitest'
import { actor } from '../../../test-kit/test/make-version.ts'
import { createTestSigner } from '../../../test-kit/test/sign-pack.ts'
import { makePack } from '../sample-packs.ts'
import { startApi, type TestApi } from '../../../test-kit/test/start-api.ts'

const alice = createTestSigner(1)
let api: TestApi
let digest: string

beforeEach(async () => {
  const version = makePack({ slug: 'a', version: '1.0.0' })
  digest = version.pack.pack_digest
  api = await startApi({ versions: [version] })
})

const sign = () => api.catalog.signatures.add('a', '1.0.0', alice.sign(digest), actor)

/** Waits until the API has asked for the sequence of the catalog again, which it does with its next response. */
async function pass(): Promise<void> {
  const before = (await api.request('/api/v1/packs/a/versions', { key: api.pro.key })).headers.etag
  await sign()
  await expect
    .poll(async () => (await api.request('/api/v1/packs/a/versions', { key: api.pro.key })).headers.etag)
    .not.toBe(before)
}

describe.each(['/api/v1/packs/a', '/api/v1/packs/a/versions/1.0.0'])('%s', (path) => {
  it('has the signatures in the document, under a new tag', async () => {
    const get = (headers = {}) => api.request(`${path}?include=document`, { key: api.pro.key, headers })
    const before = await get()
    expect(before.json).not.toHaveProperty('signatures')
    expect(before.headers['cache-control']).toBe('private, no-cache')
    await pass()
    const after = await get({ 'if-none-match': before.headers.etag! })
    expect(after.status).toBe(200)
    expect(after.json).toMatchObject({ pack_digest: digest, signatures: [alice.sign(digest)] })
    expect((await get({ 'if-none-match': after.headers.etag! })).status).toBe(304)
  })

  it('has none where the digest cannot be computed: in previews and without include=document', async () => {
    await sign()
    for (const { key } of [api.free, api.pro])
      expect((await api.request(path, { key })).json).not.toHaveProperty('signatures')
  })
})

it('the versions name their signers', async () => {
  const list = async () => (await api.request('/api/v1/packs/a/versions', { key: api.pro.key })).json.data
  expect(await list()).toMatchObject([{ version: '1.0.0', signers: [] }])
  await pass()
  expect(await list()).toMatchObject([{ version: '1.0.0', signers: [alice.id] }])
})

it('a download has the signatures, and has a pack again that was signed since', async () => {
  const get = (query: string) =>
    api.request(`/api/v1/packs/download?include=document${query}`, { key: api.pro.key })
  const first = await get('')
  expect(first.json.data).toHaveLength(1)
  await pass()
  const next = await get(`&cursor=${first.json.meta.resume_cursor}`)
  expect(next.json.data).toMatchObject([{ slug: 'a', signatures: [alice.sign(digest)] }])
})
