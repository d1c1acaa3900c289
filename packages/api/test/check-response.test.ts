import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createResponseCheck, type ApiResponse, type ResponseCheck } from './check-response.ts'
import { samplePacks } from './sample-packs.ts'
import { startApi, type TestApi } from './start-api.ts'

let api: TestApi
let check: ResponseCheck
let good: ApiResponse
beforeAll(async () => {
  api = await startApi({ versions: samplePacks })
  check = createResponseCheck((await api.request('/openapi.json')).json)
  good = await api.request('/api/v1/packs/go', { key: api.pro.key })
})
afterAll(() => api.close())

const spoil = (change: Partial<ApiResponse>): (() => void) => {
  return () => check('GET', '/api/v1/packs/go', { ...good, ...change })
}

describe('the check that every answer of these tests passes', () => {
  it('accepts a real answer', () => {
    expect(spoil({})).not.toThrow()
  })

  it.each([
    ['a status that is not described', () => ({ status: 418 })],
    ['a field of the wrong type', () => ({ json: { ...good.json, token_count: '5' } })],
    ['a field that is missing', () => ({ json: { ...good.json, sha256: undefined } })],
    ['a header field that is missing', () => ({ headers: { ...good.headers, etag: undefined } })],
    ['a header field of another form', () => ({ headers: { ...good.headers, ratelimit: '999' } })],
    ['another content type', () => ({ headers: { ...good.headers, 'content-type': 'text/html' } })],
    ['no request id', () => ({ headers: { ...good.headers, 'x-request-id': undefined } })],
    ['a field of Pro in what Free sees', () => ({ json: { ...good.json, preview: true } })],
  ])('refuses %s', (_what, change) => {
    expect(spoil(change())).toThrow('An answer is not as described')
  })
})
