import { fastify } from 'fastify'
import { describe, expect, it } from 'vitest'
import { trackMethods } from '../../src/create-api.ts'
import { samplePacks } from '../sample-packs.ts'
import { startApi } from '../../../test-kit/test/start-api.ts'

const api = await startApi({ versions: samplePacks })

describe('paths outside of the API', () => {
  it.each([
    ['/docs', 'GET, HEAD'],
    ['/openapi.json', 'GET, HEAD'],
    ['/%6Fpenapi.json', 'GET, HEAD'],
    ['/docs/errors/not_found?x', 'GET, HEAD'],
    ['/api/status', 'GET, HEAD, OPTIONS'],
  ])('send 405 with the allowed methods for other methods of %s', async (path, allow) => {
    for (const method of ['POST', 'DELETE', 'PROPFIND']) {
      const { status, json, headers } = await api.request(path, { method })
      expect([status, json.code, headers.allow]).toEqual([405, 'method_not_allowed', allow])
    }
  })

  it.each(['/nothing', '/docs/', '/docs/errors/nothing', '/api', '/api/v2'])(
    'send 404 for the unknown path %s',
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
  ])('allows all origins to read %s (%i)', async (path, status) => {
    const response = await api.request(path, { key: api.pro.key, headers: { origin: 'https://example.org' } })
    expect(response.status).toBe(status)
    expect(response.headers['access-control-allow-origin']).toBe('*')
    expect(response.headers['access-control-allow-credentials']).toBeUndefined()
    for (const name of 'ETag Link RateLimit RateLimit-Policy Retry-After X-Request-Id Content-Digest X-Yanked'.split(
      ' ',
    )) {
      expect(String(response.headers['access-control-expose-headers']).split(', ')).toContain(name)
    }
  })

  // prettier-ignore
  const paths = [
    '/api', '/api/', '/api/zzz', '/api/v2/x', '/api/status', '/api/%', '/%61pi/%E0%A4%A',
    `/api/${'a'.repeat(3000)}`,
  ]
  it.each(paths)('allows all origins to read every response of %s', async (path) => {
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']) {
      const { headers } = await api.request(path, { method })
      expect({ method, origin: headers['access-control-allow-origin'] }).toEqual({ method, origin: '*' })
      expect(headers['access-control-expose-headers']).toContain('X-Request-Id')
    }
    const values = { origin: 'https://example.org', 'access-control-request-method': 'GET' }
    const preflight = await api.request(path, { method: 'OPTIONS', headers: values })
    expect(preflight.status).toBe(204)
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD',
    })
  })

  it.each(['/docs', '/openapi.json', '/docs/errors/not_found', '/nothing'])('is off for %s', async (path) => {
    expect((await api.request(path)).headers['access-control-allow-origin']).toBeUndefined()
  })
})

it('finds the methods of a path from all its routes, but not from wildcard routes', async () => {
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
