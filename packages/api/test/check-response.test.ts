import { describe, expect, it } from 'vitest'
import { createResponseCheck, type ApiResponse } from '../../test-kit/test/check-response.ts'
import { samplePacks } from './sample-packs.ts'
import { startApi } from '../../test-kit/test/start-api.ts'

const api = await startApi({ versions: samplePacks })
const check = createResponseCheck((await api.request('/openapi.json')).json)
const good = await api.request('/api/v1/packs/go', { key: api.pro.key })

const spoil = (change: Partial<ApiResponse>): (() => void) => {
  return () => check('GET', '/api/v1/packs/go', { ...good, ...change })
}

describe('the check of every response in these tests', () => {
  it('accepts a real response', () => {
    expect(spoil({})).not.toThrow()
  })

  it.each([
    ['an undescribed status', () => ({ status: 418 })],
    ['a field of the wrong type', () => ({ json: { ...good.json, token_count: '5' } })],
    ['a missing field', () => ({ json: { ...good.json, sha256: undefined } })],
    ['a missing header field', () => ({ headers: { ...good.headers, etag: undefined } })],
    ['a header field in another format', () => ({ headers: { ...good.headers, ratelimit: '999' } })],
    ['another content type', () => ({ headers: { ...good.headers, 'content-type': 'text/html' } })],
    ['no request id', () => ({ headers: { ...good.headers, 'x-request-id': undefined } })],
    ['preview true with the fields of a whole pack', () => ({ json: { ...good.json, preview: true } })],
  ])('rejects %s', (_what, change) => {
    expect(spoil(change())).toThrow('A response does not match its description')
  })
})
