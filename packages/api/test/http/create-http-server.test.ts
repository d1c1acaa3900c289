import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Mode } from '@packs/catalog'
import { describe, expect, it } from 'vitest'
import { createHttpServer } from '../../src/create-api.ts'
import { makePack, samplePacks } from '../sample-packs.ts'
import { sendBytes, startApi } from '../../../test-kit/test/start-api.ts'

const GET = 'GET /api/v1/packs HTTP/1.1\r\nHost: a\r\n'

/** More than the buffers of a connection hold. */
const LARGE = 64 * 1024 * 1024

it('spares a response that is still being sent when idle connections are closed', async () => {
  const mode: Mode = { mode: 'online', since: '2026-03-01', message: null, retry_after: null }
  const server = createHttpServer({ current: () => mode, sequence: () => 0 }, (request, response) => {
    response.end(request.url === '/large' ? Buffer.alloc(LARGE) : 'small')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const response = await fetch(`${origin}/large`)
  expect(await (await fetch(`${origin}/small`)).text()).toBe('small')
  const closed = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  expect((await response.arrayBuffer()).byteLength).toBe(LARGE)
  const closing = setInterval(() => server.closeIdleConnections(), 5)
  await closed
  clearInterval(closing)
})

const api = await startApi({ versions: samplePacks })

describe('requests', () => {
  it.each([
    ['/api/v1/packs', 'missing_api_key'],
    ['/nothing', 'not_found'],
  ])('to %s whose body does not arrive get one response, and are closed', async (path, code) => {
    const responses = await api.sendRaw(`GET ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n`)
    expect(responses.map(({ json, headers }) => [json.code, headers.connection])).toEqual([[code, 'close']])
  })

  it.each([
    ['bytes that are not HTTP', 'rubbish\r\n\r\n', 400, 'invalid_request'],
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
    ['too many header bytes', `${GET}${'x: y\r\n'.repeat(10_000)}\r\n`, 431, 'headers_too_large'],
    ['one header too many', `${GET}${'x: y\r\n'.repeat(100)}\r\n`, 431, 'headers_too_large'],
    ['one huge header', `${GET}x: ${'y'.repeat(100_000)}\r\n\r\n`, 431, 'headers_too_large'],
    ['a huge URL', `GET /?${'y'.repeat(100_000)} HTTP/1.1\r\n\r\n`, 431, 'headers_too_large'],
    ['no Host', 'GET /api/v1/packs HTTP/1.1\r\n\r\n', 400, 'invalid_request'],
    ['two Hosts', `${GET}host: a\r\n\r\n`, 400, 'invalid_request'],
    ['an invalid Host', 'GET / HTTP/1.1\r\nHost: a/b\r\n\r\n', 400, 'invalid_request'],
    ['an unsupported expectation', `${GET}Expect: a coffee\r\n\r\n`, 417, 'expectation_failed'],
    ['CONNECT', 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n', 405, 'method_not_allowed'],
    ['an unknown method', 'BREW /api/v1/packs HTTP/1.1\r\nHost: a\r\n\r\n', 405, 'method_not_allowed'],
    ['a method in lower case', 'get / HTTP/1.1\r\nHost: a\r\n\r\n', 405, 'method_not_allowed'],
    ['an invalid method', 'G(T / HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'invalid_request'],
  ])('with %s get a problem and are closed', async (_what, bytes, status, code) => {
    const responses = await api.sendRaw(bytes)
    expect(responses.map((response) => [response.status, response.json.code])).toEqual([[status, code]])
    const { json, headers } = responses[0]!
    expect(json['type']).toBe(`/docs/errors/${code}`)
    expect(headers).toMatchObject({ connection: 'close', 'x-request-id': json.request_id })
    expect(headers.allow).toBe(status === 405 ? 'GET, HEAD' : undefined)
  })

  it('with a hundred headers, an empty Host, or HTTP/1.0 without a Host are served', async () => {
    const key = `x-api-key: ${api.pro.key}\r\n`
    for (const bytes of [
      `${GET}connection: close\r\n${key}${'x: y\r\n'.repeat(97)}\r\n`,
      `GET /api/v1/usage HTTP/1.1\r\nHost:\r\nconnection: close\r\n${key}\r\n`,
      `GET /api/v1/usage HTTP/1.1\r\nHost: [::1]:8080\r\nconnection: close\r\n${key}\r\n`,
      `GET /api/v1/usage HTTP/1.0\r\n${key}\r\n`,
    ])
      expect((await api.sendRaw(bytes)).map(({ status }) => status)).toEqual([200])
  })

  it('followed by CONNECT lose their response, because Node has detached the connection', async () => {
    const text = { preview_content: 'x'.repeat(5_000_000) }
    const big = Array.from({ length: 4 }, (_, at) => makePack({ slug: `b-${at}` }, text))
    const own = await startApi({ versions: big })
    const download = `GET /api/v1/packs/download HTTP/1.1\r\nHost: a\r\nx-api-key: ${own.pro.key}\r\n\r\n`
    const bytes = await sendBytes(own.port, `${download}CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n`)
    expect(bytes.length).toBeLessThan(10_000_000)
    expect(bytes.includes('HTTP/1.1 405')).toBe(false)
  })

  it('whose headers or body do not arrive get 408 and are closed', async () => {
    const own = await startApi()
    Object.assign(own.app.server, { headersTimeout: 100, requestTimeout: 100 })
    const post = 'POST /nothing HTTP/1.1\r\nHost: a\r\ncontent-type: application/json\r\n'
    const answers = await Promise.all(
      ['GET /api/v1/packs HTTP/1.1\r\nHost: a\r\nx: ', `${post}content-length: 9\r\n\r\n{`].map((bytes) =>
        own.sendRaw(bytes),
      ),
    )
    for (const responses of answers)
      expect(responses.map(({ status, json, headers }) => [status, json.code, headers.connection])).toEqual([
        [408, 'request_timeout', 'close'],
      ])
  })

  it('with a malformed body get one response', async () => {
    const start = 'POST /nothing HTTP/1.1\r\nHost: a\r\ncontent-type: application/json\r\n'
    const responses = await api.sendRaw(`${start}transfer-encoding: chunked\r\n\r\n1\r\n{\r\nzz\r\n`)
    expect(responses.map(({ status }) => status)).toEqual([400])
  })

  it('that are unreadable get their response after the complete responses to earlier requests', async () => {
    const good = `GET /api/v1/packs/go HTTP/1.1\r\nHost: a\r\nx-api-key: ${api.pro.key}\r\n\r\n`
    const responses = await api.sendRaw(`${good}${good}\0\r\n\r\n${good}`)
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 400])
    expect(responses[1]?.bytes.equals(responses[0]!.bytes)).toBe(true)
  })

  it.each([
    ['http://packs.example.org/api/v1/usage', 200],
    ['HTTPS://packs.example.org:8443/api/v1/packs?limit=0', 400],
    ['http://packs.example.org', 404],
    ['http://ada:secret@packs.example.org/api/v1/usage', 404],
    ['ftp://packs.example.org/api/v1/usage', 404],
  ])('with the absolute URL %s are served like others: %i', async (target, status) => {
    const key = `x-api-key: ${api.pro.key}`
    const responses = await api.sendRaw(
      `GET ${target} HTTP/1.1\r\nHost: a\r\n${key}\r\nconnection: close\r\n\r\n`,
    )
    expect(responses.map((response) => response.status)).toEqual([status])
    expect(responses[0]?.text).not.toContain('example.org')
  })

  it('have limits of time and number of headers', () => {
    const { server } = api.app
    expect(server.headersTimeout).toBe(10_000)
    expect(server.requestTimeout).toBe(15_000)
    expect(server.timeout).toBe(60_000)
    expect(server.maxHeadersCount).toBe(101)
  })
})
