import { CatalogError, createQuota, createFallbackQuota, type Catalog } from '@packs/catalog'
import { describe, expect, it } from 'vitest'
import { samplePacks } from '../sample-packs.ts'
import { startApi } from '../../../test-kit/test/start-api.ts'

// A real database does not fail on demand, so these tests pass a quota that fails.
const SECRET = 'kp_secret in a message'

const failWith = (error: Error) => (catalog: Catalog) => {
  const quota = createQuota(catalog.quota)
  return { ...quota, take: () => Promise.reject(error) }
}

describe('an unexpected error', () => {
  it('is 500, with the details only in the log', async () => {
    const api = await startApi({ versions: samplePacks, createQuota: failWith(new Error(SECRET)) })
    const { status, text, json } = await api.request('/api/v1/packs', { key: api.pro.key })
    expect({ status, code: json.code }).toEqual({ status: 500, code: 'internal_error' })
    expect(text).not.toContain('secret')
    expect(api.log).toHaveLength(1)
    expect(api.log[0]).toContain(json.request_id)
    expect(api.log[0]).toContain('"route":"/api/v1/packs"')
    expect(api.log[0]).not.toContain('secret')
  })
})

describe('an unreachable database', () => {
  it('is 503 with Retry-After', async () => {
    const away = new CatalogError('catalog_unavailable', SECRET, 'hint')
    const api = await startApi({ versions: samplePacks, createQuota: failWith(away) })
    const { status, json, headers, text } = await api.request('/api/v1/packs', { key: api.pro.key })
    expect({ status, code: json.code, wait: headers['retry-after'] }).toEqual({
      status: 503,
      code: 'service_unavailable',
      wait: '5',
    })
    expect(text).not.toContain('secret')
  })
})

describe('an unreachable store of quotas', () => {
  it('has a Retry-After of 30 seconds, because the quota returns with the store', async () => {
    const createQuota = (catalog: Catalog) =>
      createFallbackQuota(failWith(new Error(SECRET))(catalog), { onFallback: () => {} })
    const api = await startApi({ versions: samplePacks, createQuota })
    const { key } = await api.addCustomer('free', 10)
    expect((await api.request('/api/v1/packs', { key })).status).toBe(200)
    const { status, json, headers } = await api.request('/api/v1/packs', { key })
    expect({ status, code: json.code, wait: headers['retry-after'] }).toEqual({
      status: 429,
      code: 'quota_exceeded',
      wait: '30',
    })
    expect(json.detail).toBe(
      'Requests cannot be counted at the moment, so only part of the daily quota of 10 is available, and it is used up',
    )
    expect(headers['ratelimit']).toBe('"daily";r=0;t=43200')
  })
})
