import { describe, expect, it } from 'vitest'
import { samplePacks } from './sample-packs.ts'
import { startApi } from '../../test-kit/test/start-api.ts'

const api = await startApi({ versions: samplePacks })

describe('invalid parameters', () => {
  const wrong = [
    ['limit', 'limit=0', 'limit=101', 'limit=-1', 'limit=1.5', 'limit=1e1', 'limit=0x10', 'limit=%2010'],
    ['limit', 'limit=+10', 'limit=010', 'limit=%D9%A1', 'limit=ten', 'limit=', 'limit', 'limit=10&limit=10'],
    ['limit', 'limit=99999999999999999999', '%6Cimit=0'],
    ['limit[]', 'limit[]=10'],
    ['page', 'page=0', 'page=10001&limit=1', 'page=501&limit=20'],
    ['Limit', 'Limit=10'],
    ['x', 'x=1'],
    ['', '=1'],
    ['__proto__', '__proto__=1'],
    ['constructor', 'constructor=1'],
    ['toString', 'toString=1'],
    ['api_key', 'api_key=kp_x'],
    ['difficulty', 'difficulty=Beginner', 'difficulty=easy'],
    ['domain', 'domain=Web%20security', `domain=${'a'.repeat(101)}`, 'domain=%E0%A4%A', 'domain=%ff'],
    ['search', `search=${'a'.repeat(201)}`, 'search=%20', 'search=a%00b', 'search=a%0Ab'],
    ['max_tokens', 'max_tokens=0', 'max_tokens=1e9'],
    ['%E0%A4%A', '%E0%A4%A=1'],
  ]
  it.each(wrong.flatMap(([parameter, ...queries]) => queries.map((query) => [query, parameter])))(
    '%s gets 400 with the parameter %j',
    async (query, parameter) => {
      const { status, json } = await api.request(`/api/v1/packs?${query}`, { key: api.free.key })
      expect({ status, code: json.code }).toEqual({ status: 400, code: 'invalid_parameter' })
      expect(json.errors.map((error: { parameter: string }) => error.parameter)).toEqual([parameter])
    },
  )

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
  ])('%s gets 400 at the download with the parameter %s', async (query, parameter) => {
    const { json } = await api.request(`/api/v1/packs/download?${query}`, { key: api.pro.key })
    expect(json.errors.map((error: { parameter: string }) => error.parameter)).toEqual([parameter])
  })

  it.each([
    '/api/v1/packs/go',
    '/api/v1/packs/go/versions',
    '/api/v1/packs/go/versions/1.0.0',
    '/api/v1/packs/go/versions/1.0.0/sections/go',
    '/api/v1/usage',
  ])('include every parameter at %s', async (path) => {
    expect((await api.request(`${path}?limit=1`, { key: api.pro.key })).json.code).toBe('invalid_parameter')
    expect((await api.request(`${path}?`, { key: api.pro.key })).status).toBe(200)
  })

  it('are reported together, twenty at most', async () => {
    const { json } = await api.request('/api/v1/packs?limit=0&page=x&search=&y=1', { key: api.free.key })
    expect(json.errors.map((error: { parameter: string }) => error.parameter).toSorted()).toEqual([
      'limit',
      'page',
      'search',
      'y',
    ])
    const many = Array.from({ length: 500 }, (_, at) => `x${at}=1`).join('&')
    expect((await api.request(`/api/v1/packs?${many}`, { key: api.free.key })).json.errors).toHaveLength(20)
  })

  it('are not echoed, so that a key among them is not revealed', async () => {
    const { text } = await api.request(`/api/v1/packs?search=${api.pro.key}&limit=${api.pro.key}`, {
      key: api.pro.key,
    })
    expect(text).not.toContain(api.pro.key)
  })

  // prettier-ignore
  const paths = [
    '/api/v1/packs/KEY', '/api/v1/KEY', '/api/v1/packs?KEY=1', '/KEY', `/api/v1/packs/${'a'.repeat(40)}KEY`,
    '/api/v1/packs/%',
  ]
  it.each(paths)('and paths are sent with keys masked: %s', async (path) => {
    const written = path.replace('KEY', api.pro.key)
    const { text } = await api.request(written, { key: api.free.key })
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
    const response = await api.request(path, { key: api.pro.key })
    expect({ status: response.status, code: response.json.code }).toEqual({ status, code })
    expect(response.json.instance.length).toBeLessThan(600)
  })

  it('of the download match in any percent-encoding', async () => {
    expect((await api.request('/api/v1/packs/%64ownload', { key: api.free.key })).json.code).toBe(
      'tier_required',
    )
  })
})

describe('requests', () => {
  it.each([
    [{ body: '{}' }],
    [{ body: 'x', headers: { 'content-type': 'application/json' } }],
    [{ body: 'x', headers: { 'transfer-encoding': 'chunked' } }],
  ])('with a body get an error: %j', async (options) => {
    expect((await api.request('/api/v1/packs', { key: api.pro.key, ...options })).json.code).toBe(
      'unexpected_body',
    )
  })
})
