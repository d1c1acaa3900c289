import { describe, expect, it } from 'vitest'
import { samplePacks } from './sample-packs.ts'
import { startApi } from '../../test-kit/test/start-api.ts'

// Statements of the interface specification that no test of a route shows.

const api = await startApi({ versions: samplePacks })

// prettier-ignore
const TWELVE = [
  'id', 'title', 'domain', 'subdomain', 'version', 'compression', 'token_count', 'uncompressed_estimate',
  'savings_pct', 'rosetta', 'content', 'difficulty',
]

describe('the pack', () => {
  it('has the twelve fields and its slug', async () => {
    const { json } = await api.request('/api/v1/packs/tls-basics', { key: api.pro.key })
    expect(Object.keys(json)).toEqual(expect.arrayContaining([...TWELVE, 'slug']))
    expect(json).toMatchObject({
      title: 'TLS basics',
      domain: 'Web security',
      subdomain: 'General',
      version: '1.0.0',
      compression: 'minify-1',
      token_count: 100,
      uncompressed_estimate: 100,
      savings_pct: 0,
      difficulty: 'beginner',
    })
  })
})

describe('one pack', () => {
  it('is found by id and by slug', async () => {
    const bySlug = await api.request('/api/v1/packs/go', { key: api.pro.key })
    const byId = await api.request(`/api/v1/packs/${bySlug.json.id}`, { key: api.pro.key })
    expect(byId.json).toEqual(bySlug.json)
    expect(byId.json.slug).toBe('go')
  })

  it('is a preview for Free, and complete with its decoder header for Pro', async () => {
    const free = await api.request('/api/v1/packs/go', { key: api.free.key })
    expect(free.json).toMatchObject({ preview: true, content: '# Go\n', rosetta: null })
    const pro = await api.request('/api/v1/packs/go', { key: api.pro.key })
    expect(pro.json.preview).toBe(false)
    expect(pro.json.content).toContain('A KP comes back as it was.')
    const { pack_digest: _digest, preview_content: _content, ...shared } = pro.json
    expect(Object.keys(free.json).toSorted()).toEqual(Object.keys(shared).toSorted())
  })
})

describe('authentication', () => {
  it('reads the key from x-api-key, on every request', async () => {
    expect((await api.request('/api/v1/packs', { key: api.free.key })).status).toBe(200)
    expect((await api.request('/api/v1/packs')).status).toBe(401)
    expect(
      (await api.request('/api/v1/packs', { headers: { authorization: `Bearer ${api.free.key}` } })).status,
    ).toBe(401)
  })

  it.each([
    ['free', 10],
    ['pro', 1000],
  ] as const)('allows %s accounts %i requests per day', async (tier, quota) => {
    const { key } = await api.addCustomer(tier, null)
    const { headers } = await api.request('/api/v1/packs', { key })
    expect(headers['ratelimit-policy']).toBe(`"daily";q=${quota};w=86400`)
    expect(headers['ratelimit']).toBe(`"daily";r=${quota - 1};t=43200`)
  })

  it('counts requests per account, not per key, over all endpoints', async () => {
    const { key } = await api.addCustomer('free', null)
    const paths = [
      '/api/v1/packs',
      '/api/v1/packs/go',
      '/api/v1/packs/go/versions',
      '/api/v1/packs/go/versions/1.0.0',
    ]
    for (const path of [...paths, ...paths, ...paths.slice(2)])
      expect((await api.request(path, { key })).status).toBe(200)
    expect((await api.request('/api/v1/packs', { key })).status).toBe(429)
  })
})
