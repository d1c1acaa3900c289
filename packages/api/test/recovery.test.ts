import { describe, expect, it } from 'vitest'
import { isBelowApi } from '../src/http/check-message.ts'
import { samplePacks } from './sample-packs.ts'
import { startApi } from '../../test-kit/test/start-api.ts'

const api = await startApi({ versions: samplePacks })
api.setMode('recovery', { message: 'Back at ten', retry_after: 120 })

// prettier-ignore
const ROUTES = [
  '', '/', '/packs', '/packs/', '/packs/go', '/packs/download', '/packs/go/versions',
  '/packs/go/versions/1.0.0', '/packs/go/sections', '/packs/go/sections/go',
  '/packs/go/versions/1.0.0/sections', '/packs/go/versions/1.0.0/sections/go?subtree=true', '/search?q=go',
  '/search', '/context?q=go', '/usage', '/nothing', '/packs?limit=0',
]
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY']
const ODD = [
  '/%61pi/v1/packs',
  '/api/%76%31/packs',
  '/api/v1/%70acks',
  '/api%2Fv1/packs',
  '/api/v1%2Fpacks',
  '//api/v1/packs',
  '/api//v1/packs',
  '/./api/v1/packs',
  '/docs/../api/v1/packs',
  '/docs/%2e%2e/api/v1/packs',
  '/API/V1/packs',
  '/api/v1/packs/%E0%A4%A',
  '/api/v1/%',
  '/api/v1/packs/%00',
  '/api/v1/packs/../packs',
  `/api/v1/packs/${'a'.repeat(10_000)}`,
  `/api/v1/${'a/'.repeat(3000)}`,
  '/api/v1;x=1/packs',
  '/api/v1?x',
  'http://example.org/api/v1/packs',
  '/%2561pi/v1/packs',
]

describe('recovery mode', () => {
  it.each(METHODS)('%s gets 503 on every route, with and without a key', async (method) => {
    for (const route of ROUTES) {
      for (const key of [undefined, api.pro.key, 'kp_wrong']) {
        const { status, headers } = await api.request(`/api/v1${route}`, { method, key })
        expect({ route, status }).toEqual({ route, status: 503 })
        expect(headers).toMatchObject({
          'retry-after': '120',
          'cache-control': 'no-store',
          'access-control-allow-origin': '*',
        })
        expect(headers.ratelimit).toBeUndefined()
      }
    }
  })

  it.each(METHODS)('%s gets 503 on every unusual spelling of a path', async (method) => {
    for (const path of ODD) {
      const { status } = await api.request(path, { method, key: api.pro.key })
      expect({ path: path.slice(0, 60), status }).toEqual({ path: path.slice(0, 60), status: 503 })
    }
  })

  it('sends the message and the retry time of the operator', async () => {
    expect((await api.request('/api/v1/packs')).json).toMatchObject({
      status: 503,
      code: 'recovery_mode',
      detail: 'Back at ten',
    })
    expect((await api.request('/api/status')).json).toEqual({
      mode: 'recovery',
      since: '2026-03-01T12:00:00.000Z',
      message: 'Back at ten',
      retry_after: 120,
    })
  })

  it('sends the same error for unreadable requests', async () => {
    for (const bytes of [
      'GET /api/v1/packs HTTP/1.1\r\nHost: a\r\nHost: b\r\nx: \0\r\n\r\n',
      `GET /api/v1/${'a'.repeat(20_000)} HTTP/1.1\r\n\r\n`,
      'BREW /api/v1/packs HTTP/1.1\r\nHost: a\r\n\r\n',
      'CONNECT a.example:443 HTTP/1.1\r\nHost: a\r\n\r\n',
      'GET /api/v1/packs HTTP/1.1\r\nconnection: close\r\n\r\n',
      'GET http://a.example/api/v1/packs HTTP/1.1\r\nHost: a\r\nconnection: close\r\n\r\n',
      'GET /api/v1/packs HTTP/1.1\r\nHost: a\r\nExpect: a\r\nconnection: close\r\n\r\n',
    ]) {
      const responses = await api.sendRaw(bytes)
      expect(responses.map(({ status, json }) => [status, json.code])).toEqual([[503, 'recovery_mode']])
    }
  })

  it('serves the documentation, and charges nothing', async () => {
    expect((await api.request('/docs')).status).toBe(200)
    expect((await api.request('/openapi.json')).status).toBe(200)
    expect((await api.request('/elsewhere')).status).toBe(404)
    api.setMode('online')
    expect((await api.request('/api/v1/usage', { key: api.pro.key })).json.used).toBe(0)
  })
})

describe('isBelowApi', () => {
  // prettier-ignore
  const paths = [
    '/', '/browse', '/api/status', '/api/v10/packs', '/api/v1x', '/docs/api/v1',
    '/browse?next=/api/v1/packs', '/api',
  ]
  it.each(paths)('is false for %s', (path) => {
    expect(isBelowApi(path)).toBe(false)
  })
})
