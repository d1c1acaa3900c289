import { fastify } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { trackMethods } from '../../src/http/create-server.ts'
import { samplePacks } from '../sample-packs.ts'
import { startApi, type TestApi } from '../start-api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startApi({ versions: samplePacks })
})
afterAll(() => api.close())

describe('methods of other paths', () => {
  it.each([
    ['/docs', 'GET, HEAD'],
    ['/openapi.json', 'GET, HEAD'],
    ['/%6Fpenapi.json', 'GET, HEAD'],
    ['/docs/errors/not_found?x', 'GET, HEAD'],
    ['/api/status', 'GET, HEAD, OPTIONS'],
  ])('that %s does not have are 405, with those it has', async (path, allow) => {
    for (const method of ['POST', 'DELETE', 'PROPFIND']) {
      const { status, json, headers } = await api.request(path, { method })
      expect([status, json.code, headers.allow]).toEqual([405, 'method_not_allowed', allow])
    }
  })

  it.each(['/nothing', '/docs/', '/docs/errors/nothing', '/api', '/api/v2'])(
    'are 404 at %s, where nothing is',
    async (path) => {
      for (const method of ['GET', 'POST', 'OPTIONS'])
        expect((await api.request(path, { method })).status).toBe(404)
    },
  )
})

describe('CORS', () => {
  it.each([
    ['/api/v1/packs', 200],
    ['/api/v1/packs?limit=0', 400],
    ['/api/v1/nothing', 404],
    ['/api/status', 200],
  ])('lets any origin read %s (%i)', async (path, status) => {
    const answer = await api.request(path, { key: api.pro.key, headers: { origin: 'https://example.org' } })
    expect(answer.status).toBe(status)
    expect(answer.headers['access-control-allow-origin']).toBe('*')
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
    for (const name of [
      'ETag',
      'Link',
      'RateLimit',
      'RateLimit-Policy',
      'Retry-After',
      'X-Request-Id',
      'Content-Digest',
      'X-Yanked',
    ]) {
      expect(String(answer.headers['access-control-expose-headers']).split(', ')).toContain(name)
    }
  })

  it.each([
    '/api',
    '/api/',
    '/api/zzz',
    '/api/v2/x',
    '/api/status',
    '/api/%',
    '/%61pi/%E0%A4%A',
    `/api/${'a'.repeat(3000)}`,
  ])('lets any origin read whatever %s answers', async (path) => {
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']) {
      const { headers } = await api.request(path, { method })
      expect({ method, origin: headers['access-control-allow-origin'] }).toEqual({ method, origin: '*' })
      expect(headers['access-control-expose-headers']).toContain('X-Request-Id')
    }
    const asked = { origin: 'https://example.org', 'access-control-request-method': 'GET' }
    const preflight = await api.request(path, { method: 'OPTIONS', headers: asked })
    expect(preflight.status).toBe(204)
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD',
    })
  })

  it.each(['/docs', '/openapi.json', '/docs/errors/not_found', '/nothing'])('is not for %s', async (path) => {
    expect((await api.request(path)).headers['access-control-allow-origin']).toBeUndefined()
  })
})

it('tells the methods of a path from all its routes, and none where only an open end leads', async () => {
  const app = fastify()
  const findMethods = trackMethods(app)
  app.get('/a.b', () => '')
  app.post('/a.b', () => '')
  app.route({ method: ['GET', 'PUT'], url: '/keys/:id/rotate', handler: () => '' })
  app.get('/rest/*', () => '')
  await app.ready()
  expect(findMethods('/a.b')).toEqual(['GET', 'HEAD', 'POST'])
  expect(findMethods('/keys/1/rotate')).toEqual(['GET', 'HEAD', 'PUT'])
  for (const path of ['/axb', '/a.b/', '/keys//rotate', '/keys/1/2/rotate', '/rest/x', '/']) {
    expect(findMethods(path)).toEqual([])
  }
  await app.close()
})
