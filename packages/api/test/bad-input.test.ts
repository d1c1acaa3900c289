import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { makePack, samplePacks } from './sample-packs.ts'
import { sendBytes } from './send-bytes.ts'
import { startApi, type TestApi } from './start-api.ts'

const GET = 'GET /api/v1/packs HTTP/1.1\r\nHost: a\r\n'

let api: TestApi
beforeAll(async () => {
  api = await startApi({ versions: samplePacks })
})
afterAll(() => api.close())

describe('parameters', () => {
  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=1e1', 'limit'],
    ['limit=0x10', 'limit'],
    ['limit=%2010', 'limit'],
    ['limit=+10', 'limit'],
    ['limit=010', 'limit'],
    ['limit=%D9%A1', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=', 'limit'],
    ['limit', 'limit'],
    ['limit=10&limit=10', 'limit'],
    ['limit[]=10', 'limit[]'],
    ['limit=99999999999999999999', 'limit'],
    ['page=0', 'page'],
    ['page=10001&limit=1', 'page'],
    ['page=501&limit=20', 'page'],
    ['Limit=10', 'Limit'],
    ['%6Cimit=0', 'limit'],
    ['x=1', 'x'],
    ['=1', ''],
    ['__proto__=1', '__proto__'],
    ['constructor=1', 'constructor'],
    ['toString=1', 'toString'],
    ['api_key=kp_x', 'api_key'],
    ['difficulty=Beginner', 'difficulty'],
    ['difficulty=easy', 'difficulty'],
    ['domain=Web%20security', 'domain'],
    [`domain=${'a'.repeat(101)}`, 'domain'],
    ['domain=%E0%A4%A', 'domain'],
    ['domain=%ff', 'domain'],
    [`search=${'a'.repeat(201)}`, 'search'],
    ['search=%20', 'search'],
    ['search=a%00b', 'search'],
    ['search=a%0Ab', 'search'],
    ['max_tokens=0', 'max_tokens'],
    ['max_tokens=1e9', 'max_tokens'],
    ['%E0%A4%A=1', '%E0%A4%A'],
  ])('%s are refused, naming %j', async (query, parameter) => {
    const { status, json } = await api.ask(`/api/v1/packs?${query}`, { key: api.free.key })
    expect({ status, code: json.code }).toEqual({ status: 400, code: 'invalid_parameter' })
    expect(json.errors.map((error: { parameter: string }) => error.parameter)).toEqual([parameter])
  })

  it.each([
    ['updated_since=2026-03-01', 'updated_since'],
    ['updated_since=2026-02-30T00:00:00Z', 'updated_since'],
    ['updated_since=2026-03-01T00:00:00', 'updated_since'],
    ['updated_since=2026-03-01T00:00:00+01:00', 'updated_since'],
    ['updated_since=yesterday', 'updated_since'],
    ['cursor=%00', 'cursor'],
    [`cursor=${'a'.repeat(300)}.b`, 'cursor'],
    ['limit=10', 'limit'],
    ['search=a', 'search'],
  ])('%s are refused at the download, naming %s', async (query, parameter) => {
    const { json } = await api.ask(`/api/v1/packs/download?${query}`, { key: api.pro.key })
    expect(json.errors.map((error: { parameter: string }) => error.parameter)).toEqual([parameter])
  })

  it.each([
    '/api/v1/packs/go',
    '/api/v1/packs/go/versions',
    '/api/v1/packs/go/versions/1.0.0',
    '/api/v1/usage',
  ])('are unknown at %s, whatever they are', async (path) => {
    expect((await api.ask(`${path}?limit=1`, { key: api.pro.key })).json.code).toBe('invalid_parameter')
    expect((await api.ask(`${path}?`, { key: api.pro.key })).status).toBe(200)
  })

  it('are refused all at once, and twenty at most', async () => {
    const { json } = await api.ask('/api/v1/packs?limit=0&page=x&search=&y=1', { key: api.free.key })
    expect(json.errors.map((error: { parameter: string }) => error.parameter).toSorted()).toEqual([
      'limit',
      'page',
      'search',
      'y',
    ])
    const many = Array.from({ length: 500 }, (_, at) => `x${at}=1`).join('&')
    expect((await api.ask(`/api/v1/packs?${many}`, { key: api.free.key })).json.errors).toHaveLength(20)
  })

  it('never come back in full, so that a key among them stays where it was', async () => {
    const { text } = await api.ask(`/api/v1/packs?search=${api.pro.key}&limit=${api.pro.key}`, {
      key: api.pro.key,
    })
    expect(text).not.toContain(api.pro.key)
  })

  it.each([
    '/api/v1/packs/KEY',
    '/api/v1/KEY',
    '/api/v1/packs?KEY=1',
    '/KEY',
    `/api/v1/packs/${'a'.repeat(40)}KEY`,
    '/api/v1/packs/%',
  ])('and paths hide what looks like a key: %s', async (path) => {
    const written = path.replace('KEY', api.pro.key)
    const { text } = await api.ask(written, { key: api.free.key })
    expect(text).not.toContain(api.pro.key.slice(0, 20))
    expect(text.includes('kp_***')).toBe(path.includes('KEY'))
  })
})

describe('paths', () => {
  it.each([
    ['/api/v1/packs/%E0%A4%A', 400, 'invalid_path'],
    ['/api/v1/packs/%', 400, 'invalid_path'],
    ['/api/v1/packs/%zz', 400, 'invalid_path'],
    [`/api/v1/packs/${'a'.repeat(3000)}`, 400, 'invalid_path'],
    [`/api/v1/packs/${'a'.repeat(1000)}`, 404, 'pack_not_found'],
    ['/api/v1/packs/%00', 404, 'pack_not_found'],
    ['/api/v1/packs/..%2f..%2fetc%2fpasswd', 404, 'pack_not_found'],
    ['/api/v1/packs/../packs', 404, 'not_found'],
    ["/api/v1/packs/go'--", 404, 'pack_not_found'],
    ['/api/v1/packs/GO', 404, 'pack_not_found'],
    ['/api/v1/packs/%F0%9F%98%80', 404, 'pack_not_found'],
    ['/api/v1/packs/', 404, 'not_found'],
    ['/api/v1/packs//versions', 404, 'not_found'],
    ['/api/v1/usage/', 404, 'not_found'],
    ['/api/v1/PACKS', 404, 'not_found'],
    ['/api/v1/__proto__', 404, 'not_found'],
    ['/api/v1', 404, 'not_found'],
  ])('%s get %i %s', async (path, status, code) => {
    const answer = await api.ask(path, { key: api.pro.key })
    expect({ status: answer.status, code: answer.json.code }).toEqual({ status, code })
    expect(answer.json.instance.length).toBeLessThan(600)
  })

  it('that mean the download mean it in any encoding', async () => {
    expect((await api.ask('/api/v1/packs/%64ownload', { key: api.free.key })).json.code).toBe('tier_required')
  })
})

describe('requests', () => {
  it.each([
    [{ body: '{}' }],
    [{ body: 'x', headers: { 'content-type': 'application/json' } }],
    [{ body: 'x', headers: { 'transfer-encoding': 'chunked' } }],
  ])('with a body are refused: %j', async (ask) => {
    expect((await api.ask('/api/v1/packs', { key: api.pro.key, ...ask })).json.code).toBe('unexpected_body')
  })

  it.each([
    ['/api/v1/packs', 'missing_api_key'],
    ['/nothing', 'not_found'],
  ])('to %s whose body does not come are answered once, and closed', async (path, code) => {
    const answers = await api.sendRaw(`GET ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n`)
    expect(answers.map(({ json, headers }) => [json.code, headers.connection])).toEqual([[code, 'close']])
  })

  it.each([
    ['no HTTP', 'rubbish\r\n\r\n', 400, 'invalid_request'],
    ['two lengths', `${GET}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, 400, 'invalid_request'],
    [
      'length and chunks',
      `${GET}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      'invalid_request',
    ],
    ['NUL in a header', `${GET}x: \0\r\n\r\n`, 400, 'invalid_request'],
    ['a folded header', `${GET}x: a\r\n b\r\n\r\n`, 400, 'invalid_request'],
    ['lines without CR', 'GET /api/v1/packs HTTP/1.1\nHost: a\n\n', 400, 'invalid_request'],
    ['a space before a colon', `${GET}x : y\r\n\r\n`, 400, 'invalid_request'],
    ['a flood of headers', `${GET}${'x: y\r\n'.repeat(10_000)}\r\n`, 431, 'headers_too_large'],
    ['one header too many', `${GET}${'x: y\r\n'.repeat(100)}\r\n`, 431, 'headers_too_large'],
    ['one huge header', `${GET}x: ${'y'.repeat(100_000)}\r\n\r\n`, 431, 'headers_too_large'],
    ['a huge address', `GET /?${'y'.repeat(100_000)} HTTP/1.1\r\n\r\n`, 431, 'headers_too_large'],
    ['no Host', 'GET /api/v1/packs HTTP/1.1\r\n\r\n', 400, 'invalid_request'],
    ['two Hosts', `${GET}host: a\r\n\r\n`, 400, 'invalid_request'],
    ['a Host that is none', 'GET / HTTP/1.1\r\nHost: a/b\r\n\r\n', 400, 'invalid_request'],
    ['an expectation', `${GET}Expect: a coffee\r\n\r\n`, 417, 'expectation_failed'],
    ['CONNECT', 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n', 405, 'method_not_allowed'],
    ['an unknown method', 'BREW /api/v1/packs HTTP/1.1\r\nHost: a\r\n\r\n', 405, 'method_not_allowed'],
    ['a method in small letters', 'get / HTTP/1.1\r\nHost: a\r\n\r\n', 405, 'method_not_allowed'],
    ['a method that is none', 'G(T / HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'invalid_request'],
  ])('that have or are %s get a problem and are closed', async (_what, bytes, status, code) => {
    const answers = await api.sendRaw(bytes)
    expect(answers.map((answer) => [answer.status, answer.json.code])).toEqual([[status, code]])
    const { json, headers } = answers[0]!
    expect(json['type']).toBe(`/docs/errors/${code}`)
    expect(headers).toMatchObject({ connection: 'close', 'x-request-id': json.request_id })
    expect(headers.allow).toBe(status === 405 ? 'GET, HEAD' : undefined)
  })

  it('with a hundred headers, an empty Host, or of HTTP/1.0 without one are answered', async () => {
    const key = `x-api-key: ${api.pro.key}\r\n`
    for (const bytes of [
      `${GET}connection: close\r\n${key}${'x: y\r\n'.repeat(97)}\r\n`,
      `GET /api/v1/usage HTTP/1.1\r\nHost:\r\nconnection: close\r\n${key}\r\n`,
      `GET /api/v1/usage HTTP/1.1\r\nHost: [::1]:8080\r\nconnection: close\r\n${key}\r\n`,
      `GET /api/v1/usage HTTP/1.0\r\n${key}\r\n`,
    ])
      expect((await api.sendRaw(bytes)).map(({ status }) => status)).toEqual([200])
  })

  it('with CONNECT behind them lose their answer, and the connection, which Node has let go of', async () => {
    const big = Array.from({ length: 40 }, (_, at) =>
      makePack({ slug: `b-${at}` }, { content: 'word '.repeat(100_000) }),
    )
    const own = await startApi({ versions: big })
    onTestFinished(() => own.close())
    const download = `GET /api/v1/packs/download HTTP/1.1\r\nHost: a\r\nx-api-key: ${own.pro.key}\r\n\r\n`
    const bytes = await sendBytes(own.port, `${download}CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n`)
    expect(bytes.length).toBeLessThan(10_000_000)
    expect(bytes.includes('HTTP/1.1 405')).toBe(false)
  })

  it.each([
    ['whose headers do not come', 'GET /api/v1/packs HTTP/1.1\r\nHost: a\r\nx: '],
    [
      'whose body does not come, where it is waited for',
      'POST /nothing HTTP/1.1\r\nHost: a\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
    ],
  ])('%s get 408 and are closed', async (_what, bytes) => {
    const own = await startApi()
    onTestFinished(() => own.close())
    Object.assign(own.app.server, { headersTimeout: 100, requestTimeout: 100 })
    const answers = await own.sendRaw(bytes)
    expect(answers.map(({ status, json, headers }) => [status, json.code, headers.connection])).toEqual([
      [408, 'request_timeout', 'close'],
    ])
  })

  it('with a body that cannot be read to its end get one answer', async () => {
    const start = 'POST /nothing HTTP/1.1\r\nHost: a\r\ncontent-type: application/json\r\n'
    const answers = await api.sendRaw(`${start}transfer-encoding: chunked\r\n\r\n1\r\n{\r\nzz\r\n`)
    expect(answers.map(({ status }) => status)).toEqual([400])
  })

  it('that cannot be read are answered after those before them, whose answers stay whole', async () => {
    const good = `GET /api/v1/packs/go HTTP/1.1\r\nHost: a\r\nx-api-key: ${api.pro.key}\r\n\r\n`
    const answers = await api.sendRaw(`${good}${good}\0\r\n\r\n${good}`)
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400])
    expect(answers[1]?.bytes.equals(answers[0]!.bytes)).toBe(true)
  })

  it.each([
    ['http://packs.example.org/api/v1/usage', 200],
    ['HTTPS://packs.example.org:8443/api/v1/packs?limit=0', 400],
    ['http://packs.example.org', 404],
    ['http://ada:secret@packs.example.org/api/v1/usage', 404],
    ['ftp://packs.example.org/api/v1/usage', 404],
  ])('that name the whole address %s are read like others: %i', async (target, status) => {
    const key = `x-api-key: ${api.pro.key}`
    const answers = await api.sendRaw(
      `GET ${target} HTTP/1.1\r\nHost: a\r\n${key}\r\nconnection: close\r\n\r\n`,
    )
    expect(answers.map((answer) => answer.status)).toEqual([status])
    expect(answers[0]?.text).not.toContain('example.org')
  })

  it('have bounds in time and number of headers', () => {
    const { server } = api.app
    expect(server.headersTimeout).toBe(10_000)
    expect(server.requestTimeout).toBe(15_000)
    expect(server.timeout).toBe(60_000)
    expect(server.maxHeadersCount).toBe(101)
  })
})
