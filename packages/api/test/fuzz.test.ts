import { connect, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { samplePacks } from './sample-packs.ts'
import { startApi } from '../../test-kit/test/start-api.ts'

const REQUESTS = 10_000
/** Requests sent without waiting for responses, as by a client with pipelining. */
const AT_ONCE = 50
/** Requests in a minute of the API's clock: a fifth of them has a wrong key, of which 300 a minute are answered. */
const A_MINUTE = 1000
const NOON = Date.parse('2026-03-01T12:00:00.000Z')

const api = await startApi({ versions: samplePacks })

const word = fc.oneof(
  fc.constantFrom(
    '',
    ...(
      'packs go tls-basics download versions 1.0.0 sections search go usage api v1 .. . %00 %2e%2e ' +
      '%2F % %E0%A4%A %ff * :id __proto__ ~ pk_'
    ).split(' '),
  ),
  fc.string({ maxLength: 12 }).map((text) => encodeURIComponent(text.toWellFormed())),
  fc.stringMatching(/^[!-"$->@-~]{0,20}$/),
)
const name = fc.oneof(
  fc.constantFrom(
    ...(
      'limit page search domain difficulty max_tokens cursor updated_since q subtree x __proto__ ' + 'limit[]'
    ).split(' '),
  ),
  word,
)
const value = fc.oneof(
  fc.constantFrom(
    '',
    ...(
      '1 0 100 101 -1 1e3 expert web-security 2026-03-01T00:00:00Z % %00 %F0%9F%98%80 AAAA.BBBB ' +
      'true %22go%20knowledge%22 NEAR(go+pack knowledge+pack'
    ).split(' '),
  ),
  fc.nat().map(String),
  word,
)
const query = fc
  .array(fc.tuple(name, value), { maxLength: 4 })
  .map((pairs) => pairs.map((pair) => pair.join('=')).join('&'))
// prettier-ignore
const start = fc.constantFrom(
  '/api/v1/', '/api/v1/packs/', '/api/v1/packs/go/', '/%61pi/v1/', '/', '//api/v1/',
)
// prettier-ignore
const whole = fc.constantFrom(
  '/api/v1/packs', '/api/v1/packs/download', '/api/v1/packs/go', '/api/v1/packs/go/versions',
  '/api/v1/packs/go/sections', '/api/v1/packs/go/sections/go', '/api/v1/search', '/api/v1/usage',
)
const made = fc
  .tuple(start, fc.array(word, { maxLength: 4 }))
  .map(([first, words]) => `${first}${words.join('/')}`)
const path = fc
  .tuple(fc.oneof(whole, made), query)
  .map(([to, parameters]) => (parameters === '' ? to : `${to}?${parameters}`))
const method = fc.oneof(
  { weight: 12, arbitrary: fc.constant('GET') },
  { weight: 3, arbitrary: fc.constantFrom('HEAD', 'POST', 'OPTIONS', 'DELETE', 'PUT', 'TRACE', 'PROPFIND') },
)
const headerText = fc.oneof(
  fc.constantFrom(
    'gzip, br',
    ...(
      '* */* text/markdown application/x-ndjson br;q=1 zstd "x" W/"" *;q=2 ,,, a;q=x " ' +
      'https://example.org GET'
    ).split(' '),
  ),
  fc.stringMatching(/^[ -~]{0,40}$/),
)
const header = fc.tuple(
  fc.constantFrom(
    ...(
      'accept accept-encoding if-none-match origin access-control-request-method range ' +
      'x-forwarded-for content-type x-y'
    ).split(' '),
  ),
  headerText,
)
const who = fc.constantFrom('pro', 'pro', 'free', 'wrong', 'none')
const request = fc.record({ method, path, who, headers: fc.array(header, { maxLength: 3 }) })

/** Bytes that are not a valid request. */
const rubbish = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  fc.tuple(path, fc.stringMatching(/^[ -~]{0,60}$/)).map(([to, line]) => `GET ${to} HTTP/1.1\r\n${line}\r\n`),
  fc
    .tuple(
      fc.constantFrom('BREW', 'get', 'CONNECT', 'X-Y', 'M-SEARCH', 'GET', 'SOURCE'),
      fc.oneof(path, fc.constantFrom('a:1', '*', 'http://a/api/v1/packs', '//', 'http://')),
      fc.constantFrom(
        'Host: a\r\n',
        '',
        'Host: a\r\nExpect: x\r\n',
        'Host: a\r\nHost: a\r\n',
        'Host: \\\r\n',
      ),
    )
    .map(([verb, to, lines]) => `${verb} ${to} HTTP/1.1\r\n${lines}\r\n`),
  fc
    .tuple(method, path, fc.constantFrom('HTTP/0.9', 'HTTP/2.0', 'HTTP/1.1 x', ''))
    .map((parts) => `${parts.join(' ')}\r\n\r\n`),
  fc.constantFrom(
    'GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: x\r\n\r\n',
    'POST /api/v1/packs HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  ),
)

describe(`${REQUESTS.toLocaleString('en')} generated requests`, () => {
  it('all get a response without a server error, and leak no memory', async () => {
    const samples = fc.sample(request, { numRuns: REQUESTS, seed: 20260301 })
    const statuses = new Map<number, number>()
    const send = async (from: number, to: number): Promise<void> => {
      for (let start = from; start < to; start += AT_ONCE) {
        api.setTime(new Date(NOON + Math.floor(start / A_MINUTE) * 60_000).toISOString())
        const batch = samples.slice(start, Math.min(start + AT_ONCE, to))
        for (const status of await sendBatch(batch.map((sample) => writeRequest(sample)))) {
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
        }
      }
    }
    await send(0, REQUESTS / 4)
    const before = measureMemory()
    await send(REQUESTS / 4, REQUESTS)
    expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).toBe(REQUESTS)
    expect([...statuses.keys()].toSorted((a, b) => a - b)).toEqual([200, 204, 304, 400, 401, 403, 404, 405])
    for (const status of [200, 400, 401, 404, 405])
      expect(statuses.get(status)).toBeGreaterThan(REQUESTS / 100)
    // Another thread frees collected buffers a little later.
    const most = before + 6 * 2 ** 20
    await vi.waitFor(() => expect(measureMemory()).toBeLessThan(most), { timeout: 60_000 })
    expect(api.log).toEqual([])
  }, 120_000)

  it('that are invalid close only their own connection, with a problem', async () => {
    for (const bytes of fc.sample(rubbish, { numRuns: 500, seed: 20260302 })) {
      const response = await sendAlone(bytes)
      expect(response).toMatch(/^(?:HTTP\/1\.1 [1-4]\d\d [\w -]+\r\n|$)/)
      const [head = ''] = response.split('\r\n\r\n', 1)
      const isBare = head.startsWith('HTTP/1.1 4') && !/\r\nx-request-id: [0-9a-f-]{36}(?:\r|$)/.test(head)
      expect([bytes, isBare]).toEqual([bytes, false])
    }
    expect((await api.request('/api/v1/packs', { key: api.pro.key })).status).toBe(200)
    expect(api.log).toEqual([])
  })
})

type Sample = typeof request extends fc.Arbitrary<infer T> ? T : never

function writeRequest({ method: verb, path: to, who: caller, headers }: Sample): string {
  const keys = { pro: api.pro.key, free: api.free.key, wrong: 'kp_wrong', none: undefined }
  const key = keys[caller]
  const lines = [
    `${verb} ${to} HTTP/1.1`,
    'host: localhost',
    ...(key === undefined ? [] : [`x-api-key: ${key}`]),
    ...headers.map(([field, text]) => `${field}: ${text}`),
  ]
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** Sends requests over one connection and returns the statuses of all responses. */
function sendBatch(requests: readonly string[]): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(api.port, '127.0.0.1')
    socket.setTimeout(60_000, () =>
      socket.destroy(new Error(`No response to one of ${JSON.stringify(requests)}`)),
    )
    const chunks: string[] = []
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('close', () => {
      const statuses = [...chunks.join('').matchAll(/HTTP\/1\.1 (\d{3}) [^\r\n]*\r\nx-request-id: /g)].map(
        ([, status]) => Number(status),
      )
      resolve(statuses.slice(0, requests.length))
    })
    // The last request closes the connection and is not counted.
    socket.write(`${requests.join('')}GET /docs HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`)
  })
}

function sendAlone(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port: api.port, host: '127.0.0.1' }, () => socket.end(bytes, 'latin1'))
    socket.setTimeout(60_000, () => socket.destroy(new Error(`No end for ${JSON.stringify(bytes)}`)))
    let response = ''
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => (response += chunk))
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? resolve(response) : reject(error),
    )
    socket.on('close', () => resolve(response))
  })
}

/** Returns the used memory after a full garbage collection, so that it does not depend on the time of the last one. */
function measureMemory(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
