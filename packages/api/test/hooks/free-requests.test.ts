import { beforeEach, describe, expect, it } from 'vitest'
import { buildVersion } from '../../../test-kit/test/build-version.ts'
import { samplePacks } from '../sample-packs.ts'
import { startApi, type Customer, type TestApi } from '../../../test-kit/test/start-api.ts'

let api: TestApi
beforeEach(async () => {
  const body = `# Guide\n\nShort.\n\n## Long\n\n${'The rest of the guide. '.repeat(40)}\n`
  const guide = await buildVersion({ slug: 'guide', body, scheme: 'none' })
  api = await startApi({ versions: [...samplePacks, guide] })
})

const countUsed = async ({ key }: Customer): Promise<number> =>
  (await api.request('/api/v1/usage', { key })).json.used

/** Sends the same request several times and returns the statuses. */
async function repeat(times: number, path: string, key: string, tag?: string): Promise<Set<number>> {
  const headers = tag === undefined ? {} : { 'if-none-match': tag }
  const statuses = new Set<number>()
  for (let count = 0; count < times; count++) statuses.add((await api.request(path, { key, headers })).status)
  return statuses
}

describe('answers that are not charged', () => {
  it('are free as 304 sixty times a minute; beyond that the condition is ignored', async () => {
    const customer = await api.addCustomer('pro', 3)
    const tag = String((await api.request('/api/v1/packs/go', customer)).headers.etag)
    expect(await repeat(60, '/api/v1/packs/go', customer.key, tag)).toEqual(new Set([304]))
    expect(await countUsed(customer)).toBe(1)
    expect(await repeat(2, '/api/v1/packs/go', customer.key, tag)).toEqual(new Set([200]))
    expect(await countUsed(customer)).toBe(3)
    const headers = { 'if-none-match': tag }
    const refused = await api.request('/api/v1/packs/go', { ...customer, headers })
    expect([refused.status, refused.json.code]).toEqual([429, 'quota_exceeded'])
    api.setTime('2026-03-01T12:01:00.000Z')
    expect(await repeat(1, '/api/v1/packs/go', customer.key, tag)).toEqual(new Set([304]))
    expect(await countUsed(customer)).toBe(3)
  })

  it.each(['packs/download', 'packs/guide/sections/long'])(
    'are refused as 403 beyond sixty a minute, and name the policy: %s',
    async (path) => {
      const customer = await api.addCustomer('free', 10)
      expect(await repeat(60, `/api/v1/${path}`, customer.key)).toEqual(new Set([403]))
      const refused = await api.request(`/api/v1/${path}`, customer)
      expect([refused.status, refused.json]).toMatchObject([
        429,
        { code: 'too_many_requests', 'violated-policies': ['burst'] },
      ])
      expect(refused.headers).toMatchObject({
        'retry-after': '60',
        ratelimit: '"burst";r=0;t=60',
        'ratelimit-policy': '"burst";q=60;w=60',
      })
      expect((await api.request(`/api/v1/${path}`, api.free)).status).toBe(403)
      expect((await api.request('/api/v1/packs/go', customer)).status).toBe(200)
      expect(await countUsed(customer)).toBe(1)
    },
  )

  it('do not include the usage', async () => {
    expect(await repeat(100, '/api/v1/usage', api.free.key)).toEqual(new Set([200]))
    expect(await repeat(1, '/api/v1/packs/download', api.free.key)).toEqual(new Set([403]))
  })
})
