import { request } from 'node:http'
import { createQuota, type Quota } from '@packs/catalog'
import { createKeyText } from '../../../catalog/src/accounts/issue-key.ts'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { samplePacks } from '../sample-packs.ts'
import { startApi, type TestApi, type TestApiOptions } from '../../../test-kit/test/start-api.ts'
import { actor } from '../../../test-kit/test/make-version.ts'

const api = await startApi({ versions: samplePacks })
beforeEach(() => api.setTime('2026-03-01T12:00:00.000Z'))

const start = (options: TestApiOptions): Promise<TestApi> => startApi({ versions: samplePacks, ...options })

describe('API keys', () => {
  it.each(['/api/v1/packs', '/api/v1/nothing', '/api/v1', '/api/v1/', '/api/v1/packs/%E0%A4%A'])(
    'are required at %s',
    async (path) => {
      const { status, json, headers } = await api.request(path)
      expect({ status, code: json.code, asks: headers['www-authenticate'] }).toEqual({
        status: 401,
        code: 'missing_api_key',
        asks: 'ApiKey',
      })
    },
  )

  it('get the same response if malformed, unknown, revoked or expired', async () => {
    const revoked = await api.addCustomer('pro')
    await api.catalog.keys.revoke(revoked.keyId, actor, api.now())
    const replaced = await api.addCustomer('pro')
    await api.catalog.keys.rotate(replaced.keyId, actor, api.now())
    api.setTime('2026-03-02T12:00:00.001Z')
    const wrongSum = `${api.pro.key.slice(0, -1)}${api.pro.key.endsWith('0') ? '1' : '0'}`
    const bodies = new Set<string>()
    for (const key of [
      'x',
      `${api.pro.key} `,
      wrongSum,
      createKeyText(),
      revoked.key,
      replaced.key,
      'ä'.repeat(39),
      'k'.repeat(5000),
    ]) {
      const { status, text, json } = await api.request('/api/v1/packs', {
        headers: { 'x-api-key': encodeURI(key) },
      })
      expect(status).toBe(401)
      bodies.add(text.replace(json.request_id, 'ID'))
    }
    // encodeURI writes the trailing space of the second key as %20, which makes it invalid.
    expect([...bodies].map((body) => (JSON.parse(body) as { code: string }).code)).toEqual([
      'invalid_api_key',
    ])
  })

  it('stay valid for a day after rotation, beside the new key', async () => {
    const { keyId, key } = await api.addCustomer('pro')
    const { key: next } = await api.catalog.keys.rotate(keyId, actor, api.now())
    api.setTime('2026-03-02T11:59:59.000Z')
    expect((await api.request('/api/v1/packs', { key })).status).toBe(200)
    expect((await api.request('/api/v1/packs', { key: next })).status).toBe(200)
    api.setTime('2026-03-02T12:00:00.000Z')
    expect((await api.request('/api/v1/packs', { key })).status).toBe(401)
  })

  it('stop working within half a second after revocation', async () => {
    const { key, keyId } = await api.addCustomer('pro')
    expect((await api.request('/api/v1/packs', { key })).status).toBe(200)
    await api.catalog.keys.revoke(keyId, actor, api.now())
    api.setTime('2026-03-01T12:00:00.500Z')
    expect((await api.request('/api/v1/packs', { key })).status).toBe(401)
  })
})

describe('failed keys', () => {
  const fail = { key: 'kp_wrong' }

  it('are refused after 300 in a minute, and valid keys of that address pass', async () => {
    const own = await start({})
    for (let count = 0; count < 300; count++)
      expect((await own.request('/api/v1/packs', fail)).status).toBe(401)
    const error = await own.request('/api/v1/packs', fail)
    expect(error.json.code).toBe('too_many_failed_keys')
    expect(error.headers['retry-after']).toBe('60')
    const revoked = await own.addCustomer('pro')
    await own.catalog.keys.revoke(revoked.keyId, actor, own.now())
    const ended = await own.addCustomer('pro')
    await own.catalog.accounts.setDisabled(ended.account.email, true, { actor, now: own.now() })
    const rotated = await own.addCustomer('free')
    const { key: fresh } = await own.catalog.keys.rotate(rotated.keyId, actor, own.now())
    const ask = async (key: string | undefined, path = '/api/v1/packs', options = {}): Promise<string> => {
      const { status, json } = await own.request(path, { key, ...options })
      return `${status} ${status < 400 ? '' : json.code}`.trim()
    }
    for (const key of ['kp_', createKeyText(), revoked.key, ended.key, own.pro.key.toUpperCase()])
      expect(await ask(key)).toBe('429 too_many_failed_keys')
    // What is right, or was not sent, is judged as if nobody had failed.
    for (const key of [own.pro.key, own.free.key, rotated.key, fresh]) expect(await ask(key)).toBe('200')
    expect(await ask(own.free.key, '/api/v1/packs/download')).toBe('403 tier_required')
    expect(await ask(own.pro.key, '/api/v1/nothing')).toBe('404 not_found')
    expect(await ask(undefined)).toBe('401 missing_api_key')
    expect(await ask('')).toBe('401 missing_api_key')
    own.setTime('2026-03-01T12:01:00.000Z')
    expect(await ask('kp_wrong')).toBe('401 invalid_api_key')
    own.setTime('2026-03-02T12:00:00.001Z')
    expect([await ask(rotated.key), await ask(fresh)]).toEqual(['401 invalid_api_key', '200'])
  })

  it('do not count for other addresses, which only a trusted proxy can forward', async () => {
    const own = await start({ trustProxy: ['127.0.0.1'] })
    const from = (address: string, key: string): Promise<number> =>
      own
        .request('/api/v1/packs', { key, headers: { 'x-forwarded-for': address } })
        .then(({ status }) => status)
    for (let count = 0; count < 300; count++) await from('192.0.2.1', 'kp_wrong')
    expect(await from('192.0.2.1', 'kp_wrong')).toBe(429)
    expect(await from('192.0.2.1', own.pro.key)).toBe(200)
    expect(await from('192.0.2.2', 'kp_wrong')).toBe(401)
    const closed = await start({})
    for (let count = 0; count < 300; count++) {
      const address = `192.0.2.${count % 256}`
      await closed.request('/api/v1/packs', { ...fail, headers: { 'x-forwarded-for': address } })
    }
    expect((await closed.request('/api/v1/packs', fail)).status).toBe(429)
  })
})

describe('a client behind a trusted proxy', () => {
  it.each([
    ['192.0.2.1', ['::ffff:192.0.2.1', '192.0.2.1:443', '[::ffff:c000:201]:1', '0:0:0:0:0:FFFF:c000:201']],
    ['2001:db8::1', ['[2001:DB8::1]:443', '2001:0db8:0:0::2']],
    ['127.0.0.1', ['a', 'unknown', '_hidden', '198.51.100.7, x']],
  ])('at %s is the same client in all spellings of its address', async (address, spellings) => {
    const own = await start({ trustProxy: ['127.0.0.1'] })
    for (let count = 0; count < 300; count++) {
      const spelling = spellings[count % spellings.length]!
      await own.request('/api/v1/packs', { key: 'kp_wrong', headers: { 'x-forwarded-for': spelling } })
    }
    const headers = { 'x-forwarded-for': address }
    expect((await own.request('/api/v1/packs', { key: 'kp_wrong', headers })).status).toBe(429)
  })
})

describe('the order of checks', () => {
  it.each([
    ['a missing key before an unknown path', '/api/v1/nothing?x=1', {}, 'missing_api_key'],
    ['an unknown path before parameters', '/api/v1/nothing?x=1', { as: 'free' }, 'not_found'],
    [
      'a wrong method before parameters',
      '/api/v1/packs?x=1',
      { as: 'free', method: 'POST' },
      'method_not_allowed',
    ],
    ['parameters before the tier', '/api/v1/packs/download?x=1', { as: 'free' }, 'invalid_parameter'],
    ['the tier before the quota', '/api/v1/packs/download', { as: 'spent' }, 'tier_required'],
    ['the quota before existence', '/api/v1/packs/nothing', { as: 'spent' }, 'quota_exceeded'],
    ['the quota before an unknown path', '/api/v1/nothing', { as: 'spent' }, 'quota_exceeded'],
    ['an invalid parameter before the quota', '/api/v1/packs?limit=0', { as: 'spent' }, 'invalid_parameter'],
  ] as const)('checks %s', async (_what, path, options: { as?: 'free' | 'spent'; method?: string }, code) => {
    const key =
      options.as === undefined
        ? undefined
        : options.as === 'free'
          ? api.free.key
          : (await api.addCustomer('free', 0)).key
    expect(
      (await api.request(path, { key, ...(options.method && { method: options.method }) })).json.code,
    ).toBe(code)
  })

  it('checks recovery mode and preflights before keys', async () => {
    const preflight = {
      method: 'OPTIONS',
      headers: { origin: 'https://example.org', 'access-control-request-method': 'GET' },
    }
    const { status, headers } = await api.request('/api/v1/packs', preflight)
    expect(status).toBe(204)
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': 'x-api-key, accept, if-match, if-none-match',
    })
    api.setMode('recovery')
    expect((await api.request('/api/v1/packs', preflight)).status).toBe(503)
    api.setMode('online')
  })
})

describe('methods', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'])(
    '%s is not allowed',
    async (method) => {
      const { status, headers } = await api.request('/api/v1/packs', { method, key: api.pro.key })
      expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: 'GET, HEAD' })
    },
  )
})

describe('quotas', () => {
  it('are charged for 200 and 404, for HEAD as for GET, and for nothing else', async () => {
    const { key } = await api.addCustomer('pro', 100)
    const etag = (await api.request('/api/v1/packs/go', { key })).headers.etag!
    const cost = async (path: string, options: Parameters<TestApi['request']>[1] = {}): Promise<number> => {
      const used = async (): Promise<number> => (await api.request('/api/v1/usage', { key })).json.used
      const before = await used()
      await api.request(path, { key, ...options })
      return (await used()) - before
    }
    expect(await cost('/api/v1/packs')).toBe(1)
    expect(await cost('/api/v1/packs', { method: 'HEAD' })).toBe(1)
    expect(await cost('/api/v1/packs/nothing')).toBe(1)
    expect(await cost('/api/v1/nothing')).toBe(1)
    expect(await cost('/api/v1/packs/download')).toBe(1)
    expect(await cost('/api/v1/packs/go', { headers: { 'if-none-match': etag } })).toBe(0)
    expect(await cost('/api/v1/packs?limit=0')).toBe(0)
    expect(await cost('/api/v1/packs', { method: 'DELETE' })).toBe(0)
    expect(await cost('/api/v1/packs', { body: 'x' })).toBe(0)
    expect(await cost('/api/v1/packs/%ff')).toBe(0)
    expect(await cost('/api/v1/usage')).toBe(0)
  })

  it('are not charged to a client that hung up before the answer, nor for what failed', async () => {
    const held = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const own = await start({
      createQuota(catalog) {
        const quota = createQuota(catalog.quota)
        const peek: Quota['peek'] = async (...given) => {
          asked.resolve()
          await held.promise
          return quota.peek(...given)
        }
        return { ...quota, peek }
      },
    })
    const { key } = await own.addCustomer('pro', 100)
    const gone = new Promise((resolve) =>
      own.app.server.once('connection', (socket) => socket.once('close', resolve)),
    )
    const sent = request({ port: own.port, path: '/api/v1/packs?limit=3', headers: { 'x-api-key': key } })
    sent.on('error', () => undefined).end()
    await asked.promise
    sent.destroy()
    await gone
    held.resolve()
    expect((await own.request('/api/v1/packs?limit=4', { key })).status).toBe(200)
    const list = vi.spyOn(own.catalog.packs, 'list').mockRejectedValue(new Error('broken'))
    for (const limit of [5, 6, 7])
      expect((await own.request(`/api/v1/packs?limit=${limit}`, { key })).status).toBe(500)
    list.mockRestore()
    expect((await own.request('/api/v1/usage', { key })).json.used).toBe(1)
  })

  it('that have too little left for a context refuse it before it is searched', async () => {
    const { key } = await api.addCustomer('pro', 3)
    const find = vi.spyOn(api.catalog.search, 'store')
    const refused = await api.request('/api/v1/context?q=go&budget=16000', { key })
    expect([refused.status, refused.json.code, find.mock.calls.length]).toEqual([429, 'quota_exceeded', 0])
    expect((await api.request('/api/v1/context?q=go&budget=12000', { key })).status).toBe(200)
    expect((await api.request('/api/v1/usage', { key })).json).toMatchObject({ used: 3, remaining: 0 })
  })

  it('that are used up send the time of the reset, and are full again then', async () => {
    const { key } = await api.addCustomer('free', null)
    const burst = await Promise.all(Array.from({ length: 200 }, () => api.request('/api/v1/packs', { key })))
    expect(burst.filter(({ status }) => status === 200)).toHaveLength(10)
    const error = burst.find(({ status }) => status === 429)!
    expect(error.json).toMatchObject({ code: 'quota_exceeded', 'violated-policies': ['daily'] })
    expect(error.headers).toMatchObject({ 'retry-after': '43200', ratelimit: '"daily";r=0;t=43200' })
    expect((await api.request('/api/v1/usage', { key })).json).toEqual({
      tier: 'free',
      limit: 10,
      used: 10,
      remaining: 0,
      reset_at: '2026-03-02T00:00:00.000Z',
    })
    api.setTime('2026-03-02T00:00:00.000Z')
    expect((await api.request('/api/v1/packs', { key })).headers.ratelimit).toBe('"daily";r=9;t=86400')
  })
})
