import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assembleClient } from '../src/create-client.ts'
import { createClient, type Cache, type ClientOptions } from '../src/index.ts'
import { createMemoryCache } from '../src/requests/store.ts'
import { defaultPorts, type Ports } from '../src/requests/send-request.ts'
import { startCatalog } from './start-catalog.ts'

const api = await startCatalog()
const url = `http://127.0.0.1:${api.port}`

/** A `fetch` that records the paths and the status of their responses. */
function recordRequests(): { readonly fetch: typeof fetch; readonly requests: string[] } {
  const requests: string[] = []
  return {
    requests,
    async fetch(address, init) {
      const response = await fetch(address, init)
      const { pathname } = new URL(address as string)
      requests.push(`${response.status} ${pathname.replace('/api/v1/packs/', '')}`)
      return response
    },
  }
}

describe('the cache of a client', () => {
  it('revalidates what can change, and never requests a version again', async () => {
    const { fetch: recorded, requests } = recordRequests()
    const client = createClient({ url, key: api.pro.key, fetch: recorded })
    const newest = await client.packs.get('tls-certificates')
    expect(await client.packs.get('tls-certificates')).toEqual(newest)
    expect(await client.packs.get('tls-certificates@1.1.0')).toEqual(newest)
    expect(await client.packs.get('tls-certificates@^1')).toEqual(newest)
    expect(requests).toEqual([
      '200 tls-certificates',
      '304 tls-certificates',
      '200 tls-certificates/versions',
    ])
  })

  it('returns stale copies in recovery mode, with their age', async () => {
    let now = 1_000_000
    const client = assembleClient({ url, key: api.pro.key }, { ...defaultPorts, now: () => now })
    const pack = await client.packs.get('plain')
    const found = await client.search('certificate')
    now += 90_500
    api.setMode('recovery')
    try {
      expect(await client.packs.get('plain')).toEqual({ ...pack, stale: true, age: 90 })
      expect(await client.search('certificate')).toEqual({ ...found, stale: true })
      expect(await client.status()).toMatchObject({ mode: 'recovery' })
      await expect(client.packs.get('http-status-codes')).rejects.toMatchObject({
        code: 'recovery_mode',
        status: 503,
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        retryAt: new Date(now + 3_600_000),
        hint: expect.stringContaining('retryAt'),
      })
    } finally {
      api.setMode('online')
    }
  })

  const broken: Readonly<Record<string, Cache>> = {
    throws: {
      get: () => {
        throw new Error('no cache')
      },
      set: () => {
        throw new Error('no cache')
      },
    },
    rejects: { get: () => Promise.reject(new Error('x')), set: () => Promise.reject(new Error('x')) },
    hangs: { get: () => new Promise(() => undefined), set: () => new Promise(() => undefined) },
    'returns nonsense': { get: () => Promise.resolve('{"pack_digest":'), set: () => Promise.resolve() },
    'returns no text': { get: () => Promise.resolve(5 as unknown as string), set: () => Promise.resolve() },
  }
  it.each(Object.entries(broken))('may be one that %s', async (_, cache) => {
    const wait: Ports['wait'] = (milliseconds, signal) =>
      milliseconds === 2000 ? Promise.resolve() : defaultPorts.wait(milliseconds, signal)
    const client = assembleClient({ url, key: api.pro.key, cache }, { ...defaultPorts, wait })
    expect(await client.packs.get('plain@1.0.0')).toMatchObject({ version: '1.0.0', stale: false })
  })

  it('ignores and replaces values that were damaged', async () => {
    const values = new Map<string, string>()
    const cache: Cache = {
      get: (key) => Promise.resolve(values.get(key)),
      set: (key, value) => Promise.resolve(void values.set(key, value)),
    }
    const { fetch: recorded, requests } = recordRequests()
    const client = createClient({ url, key: api.pro.key, cache, fetch: recorded })
    const pack = await client.packs.get('plain@1.0.0')
    const whole = new Map(values)
    expect([...values.keys()].join()).not.toContain(api.pro.key)
    for (const [key, value] of whole) {
      values.set(key, value.replace(/[a-f](?=[^a-f]*$)/, 'X'))
      expect(await client.packs.get('plain@1.0.0')).toEqual(pack)
      expect(
        values
          .get(key)
          ?.replace(/"at":\d+/, '')
          .slice(65),
      ).toBe(value.replace(/"at":\d+/, '').slice(65))
    }
    const asked = [...whole.keys()].map((key) => (key === 'purges' ? '/api/purged' : 'plain/versions/1.0.0'))
    expect(requests).toEqual(['plain/versions/1.0.0', ...asked].map((path) => `200 ${path}`))
  })

  it('in memory stays within its bytes and keeps what was used last', async () => {
    const operation = fc.record({
      key: fc.constantFrom('a', 'bb', 'ccc', 'dddd'),
      value: fc.option(fc.string({ maxLength: 30 }), { nil: undefined }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 60 }), fc.nat(120), async (operations, bytes) => {
        const cache = createMemoryCache({ bytes })
        // The last one is the one that was used last.
        let model: [key: string, value: string][] = []
        const measure = (): number =>
          model.reduce((sum, [key, value]) => sum + 2 * (key.length + value.length), 0)
        const found: unknown[] = []
        const wanted: unknown[] = []
        for (const { key, value } of operations) {
          const held = model.find(([name]) => name === key)
          model = model.filter((entry) => entry !== held)
          if (value === undefined) {
            found.push(await cache.get(key))
            wanted.push(held?.[1])
            if (held !== undefined) model.push(held)
          } else {
            await cache.set(key, value)
            if (2 * (key.length + value.length) <= bytes) model.push([key, value])
            while (measure() > bytes) model.shift()
          }
        }
        expect(found).toEqual(wanted)
        for (const key of ['a', 'bb', 'ccc', 'dddd'])
          expect(await cache.get(key)).toBe(model.find(([name]) => name === key)?.[1])
      }),
    )
  })
})

describe('retries', () => {
  /** A client whose requests get these responses in turn; the last one again and again. */
  function answer(
    statuses: readonly (readonly [status: number, retryAfter?: number | undefined])[],
    options: ClientOptions,
  ) {
    const waits: number[] = []
    let count = 0
    const ports: Ports = {
      now: () => 0,
      random: () => 0.5,
      warn: () => undefined,
      wait: (milliseconds, signal) => {
        if (milliseconds === 10_000) return defaultPorts.wait(milliseconds, signal)
        waits.push(milliseconds)
        return Promise.resolve()
      },
      fetch: () => {
        const [status, seconds] = statuses[Math.min(count++, statuses.length - 1)]!
        const headers = seconds === undefined ? {} : { 'retry-after': String(seconds) }
        const usage = { tier: 'pro', limit: 1, used: 0, remaining: 1, reset_at: '' }
        return Promise.resolve(new Response(status === 200 ? JSON.stringify(usage) : '', { status, headers }))
      },
    }
    return { client: assembleClient(options, ports), waits, countRequests: () => count }
  }

  it('are at most as many as allowed, and wait at most maxWait', async () => {
    const status = fc.tuple(
      fc.constantFrom(200, 404, 429, 500, 503),
      fc.option(fc.nat(9), { nil: undefined }),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(status, { minLength: 1, maxLength: 6 }),
        fc.nat(4),
        fc.nat(9999),
        async (statuses, retries, maxWait) => {
          const { client, waits, countRequests } = answer(statuses, { url: 'http://a', retries, maxWait })
          const outcome = await client.usage().then(
            () => 200,
            (error: { status: number }) => error.status,
          )
          expect(countRequests()).toBeLessThanOrEqual(1 + retries)
          expect(waits.length).toBe(countRequests() - 1)
          expect(waits.filter((wait) => wait > maxWait)).toEqual([])
          // What was answered last decides.
          expect(outcome).toBe(statuses[Math.min(countRequests(), statuses.length) - 1]![0])
        },
      ),
    )
  })

  it('back off, and wait as long as the server says', async () => {
    const backing = answer([[503], [503], [503], [200]], { url: 'http://a', retries: 3 })
    await backing.client.usage()
    expect(backing.waits).toEqual([225, 450, 900])
    const told = answer([[429, 4], [200]], { url: 'http://a' })
    await told.client.usage()
    expect(told.waits).toEqual([4000])
  })

  it('stop when the signal aborts, with its reason', async () => {
    const reason = new Error('enough')
    const controller = new AbortController()
    const silent: typeof fetch = () => new Promise(() => undefined)
    const client = createClient({ url: 'http://a', fetch: silent })
    const call = client.packs.get('plain', { signal: controller.signal })
    controller.abort(reason)
    await expect(call).rejects.toBe(reason)
    const asking = assembleClient({ url: 'http://a', fetch: silent })
    await expect(asking.search('x', { signal: controller.signal })).rejects.toBe(reason)
    const waiting = new AbortController()
    const busy = createClient({
      url: 'http://a',
      fetch: () => {
        queueMicrotask(() => setTimeout(() => waiting.abort(reason)))
        return Promise.resolve(new Response('', { status: 503, headers: { 'retry-after': '4' } }))
      },
    })
    await expect(busy.usage({ signal: waiting.signal })).rejects.toBe(reason)
  })
})

describe('options and names', () => {
  it('say when the URL is missing', () => {
    expect(() => createClient({})).toThrow(
      expect.objectContaining({ message: 'The option url is not an http or https URL' }),
    )
  })

  it.each<[string, ClientOptions]>([
    ['no address', {}],
    ['an address that is none', { url: 'packs.example' }],
    ['another protocol', { url: 'file:///etc' }],
    ['a password in the address', { url: 'https://a:secret@b.example' }],
    ['a key with a line end', { url: 'http://a', key: 'secret\n' }],
    ['a negative time', { url: 'http://a', timeout: -1 }],
    ['half a retry', { url: 'http://a', retries: 0.5 }],
  ])('cannot be %s', (_, options) => {
    expect(() => createClient(options)).toThrow(
      expect.objectContaining({ code: 'invalid_option', message: expect.not.stringContaining('secret') }),
    )
  })

  it.each([
    ['', 'invalid_name'],
    ['../usage', 'invalid_name'],
    ['plain@', 'invalid_range'],
    ['plain@^9', 'no_matching_version'],
    ['plain@9.0.0', 'version_not_found'],
    ['nothing', 'pack_not_found'],
    [undefined, 'invalid_name'],
  ])('%j is %s', async (name, code) => {
    const client = createClient({ url, key: api.pro.key })
    await expect(client.packs.get(name as string)).rejects.toMatchObject({
      name: 'ClientError',
      code,
      hint: expect.stringMatching(/./),
    })
  })
})
