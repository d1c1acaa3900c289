import { expect, it } from 'vitest'
import { actor } from '../../../test-kit/test/make-version.ts'
import { startApi } from '../../../test-kit/test/start-api.ts'
import { makePack } from '../sample-packs.ts'

const WHY = { reason: 'a key leaked', actor }

async function startPurged(): ReturnType<typeof startApi> {
  const api = await startApi()
  const { packs } = api.catalog
  await packs.commit([makePack({ slug: 'tls', version: '1.0.0' }), makePack({ slug: 'gone' })])
  await packs.commit([makePack({ slug: 'tls', version: '1.1.0', parent: '1.0.0' })])
  return api
}

it('sends 410 with the reason for a purged version and for a pack of which nothing is left', async () => {
  const api = await startPurged()
  const { key } = api.pro
  // So that everything that is kept in memory has them.
  for (const path of ['tls', 'tls/versions/1.1.0', 'tls/versions', 'gone', 'gone/sections'])
    expect((await api.request(`/api/v1/packs/${path}`, { key })).status).toBe(200)
  await api.catalog.packs.purge({ slug: 'tls', versions: ['1.1.0'], ...WHY })
  await api.catalog.packs.purge({ slug: 'gone', ...WHY })
  for (const [slug, version, path] of [
    ['tls', '1.1.0', 'tls/versions/1.1.0'],
    ['tls', '1.1.0', 'tls/versions/1.1.0/sections'],
    ['gone', '1.0.0', 'gone'],
    ['gone', '1.0.0', 'gone/versions'],
    ['gone', '1.0.0', 'gone/versions/1.0.0'],
    ['gone', '1.0.0', 'gone/versions/7.0.0'],
    ['gone', '1.0.0', 'gone/sections'],
  ]) {
    const { status, json, headers } = await api.request(`/api/v1/packs/${path}`, { key })
    expect([path, status, json]).toMatchObject([
      path,
      410,
      {
        code: 'purged_version',
        slug,
        version,
        reason: 'a key leaked',
        purged_at: expect.stringMatching(/Z$/),
      },
    ])
    expect(headers['cache-control']).toBe('no-store')
  }
  const context = await api.request('/api/v1/context?q=pack&pack=gone', { key })
  expect([context.status, context.json.code]).toEqual([410, 'purged_version'])
  expect((await api.request('/api/v1/packs/tls', { key })).json.version).toBe('1.0.0')
  const { json } = await api.request('/api/v1/packs/tls/versions', { key })
  expect(json.data).toMatchObject([{ version: '1.0.0' }])
  expect(json.meta).toMatchObject({ total: 2, purged: [{ version: '1.1.0', reason: 'a key leaked' }] })
  expect(json.meta).not.toHaveProperty('damaged')
})

it('tells those that follow the catalog', async () => {
  const api = await startPurged()
  const { key } = api.pro
  const first = await api.request('/api/v1/packs/download', { key })
  const before = await api.request('/api/purged')
  expect(before.json).toEqual({ data: [], meta: { next: 0, more: false } })
  await api.catalog.packs.purge({ slug: 'gone', ...WHY })
  await api.catalog.packs.purge({ slug: 'tls', versions: ['1.1.0'], ...WHY })
  const resume = first.json.meta as unknown as { resume_cursor: string }
  const next = await api.request(`/api/v1/packs/download?cursor=${resume.resume_cursor}`, { key })
  expect(next.json.data).toMatchObject([
    { slug: 'gone', removed: true },
    { slug: 'tls', version: '1.0.0' },
  ])

  api.setMode('recovery')
  const { status, json, headers } = await api.request('/api/purged')
  expect([status, headers['cache-control']]).toEqual([200, 'no-store'])
  expect(json.data).toMatchObject([
    { slug: 'gone', version: '1.0.0', reason: 'a key leaked' },
    { slug: 'tls', version: '1.1.0', reason: 'a key leaked' },
  ])
  const { next: after } = json.meta as unknown as { next: number }
  expect((await api.request(`/api/purged?after=${after}`)).json).toEqual({
    data: [],
    meta: { next: after, more: false },
  })
  for (const wrong of ['-1', 'x', '']) {
    const refused = await fetch(`http://127.0.0.1:${api.port}/api/purged?after=${wrong}`)
    expect([refused.status, await refused.json()]).toMatchObject([400, { code: 'invalid_parameter' }])
  }
})
