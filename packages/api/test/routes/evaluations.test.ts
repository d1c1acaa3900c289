import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeEvaluation } from '../../../catalog/test/make-evaluation.ts'
import { actor } from '../../../catalog/test/test-actor.ts'
import { checkPack } from '@packs/codec/pack'
import { makePack } from '../sample-packs.ts'
import { startApi, type TestApi } from '../start-api.ts'

const evaluation = makeEvaluation()
let api: TestApi

beforeEach(async () => {
  api = await startApi({ versions: [makePack({ slug: 'a', version: '1.0.0' })] })
})
afterEach(() => api.close())

/** Attaches it, and waits until the API has asked for the sequence of the catalog again. */
async function attach(): Promise<void> {
  const readTag = async () =>
    (await api.request('/api/v1/packs/a/versions', { key: api.pro.key })).headers.etag
  const before = await readTag()
  await api.catalog.evaluations.add('a', '1.0.0', evaluation, actor)
  await expect.poll(readTag).not.toBe(before)
}

describe.each<[path: string, tier: 'free' | 'pro']>([
  ['/api/v1/packs/a', 'free'],
  ['/api/v1/packs/a', 'pro'],
  ['/api/v1/packs/a?include=document', 'pro'],
  ['/api/v1/packs/a/versions/1.0.0', 'free'],
  ['/api/v1/packs/a/versions/1.0.0?include=document', 'pro'],
])('%s for %s', (path, tier) => {
  it('has the evaluations, under a new tag', async () => {
    const get = (headers = {}) => api.request(path, { key: api[tier].key, headers })
    const before = await get()
    expect(before.json).not.toHaveProperty('evaluations')
    await attach()
    const after = await get({ 'if-none-match': before.headers.etag! })
    expect(after.status).toBe(200)
    expect(after.json).toEqual({
      ...before.json,
      evaluations: [evaluation],
      updated_at: after.json.updated_at,
    })
    expect((await get({ 'if-none-match': after.headers.etag! })).status).toBe(304)
  })
})

it('a response that may be cached for a year has none, also beside one that has', async () => {
  await attach()
  const get = (path: string) => api.request(path, { key: api.pro.key })
  // Until a second version is published, both paths have the same version.
  expect((await get('/api/v1/packs/a')).json.evaluations).toHaveLength(1)
  const fixed = await get('/api/v1/packs/a/versions/1.0.0')
  expect(fixed.headers['cache-control']).toContain('immutable')
  expect(fixed.json).not.toHaveProperty('evaluations')
  expect(fixed.json).toHaveProperty('content')
})

it('a yanked version, which is never cached, has them', async () => {
  await attach()
  await api.catalog.packs.yank('a', '1.0.0', 'wrong', actor)
  const read = async () => (await api.request('/api/v1/packs/a/versions/1.0.0', { key: api.pro.key })).json
  await expect.poll(async () => (await read()).evaluations).toEqual([evaluation])
})

it('the digest of a whole document does not cover them', async () => {
  await attach()
  const { json } = await api.request('/api/v1/packs/a?include=document', { key: api.pro.key })
  const { evaluations, published_at: _at, updated_at: _then, preview: _preview, ...pack } = json
  expect(evaluations).toEqual([evaluation])
  expect((await checkPack(pack)).find(({ name }) => name === 'pack_digest')).toMatchObject({ ok: true })
})

it('lists and versions have them', async () => {
  await attach()
  for (const { key } of [api.free, api.pro]) {
    const read = async (path: string) => (await api.request(path, { key })).json.data
    expect(await read('/api/v1/packs')).toMatchObject([{ slug: 'a', evaluations: [evaluation] }])
    expect(await read('/api/v1/packs/a/versions')).toMatchObject([{ evaluations: [evaluation] }])
  }
})

it('a download has a pack again that was evaluated since', async () => {
  const get = (query: string) =>
    api.request(`/api/v1/packs/download?include=document${query}`, { key: api.pro.key })
  const first = await get('')
  expect(first.json.data).toHaveLength(1)
  await attach()
  const next = await get(`&cursor=${first.json.meta.resume_cursor}`)
  expect(next.json.data).toMatchObject([{ slug: 'a', evaluations: [evaluation] }])
})
