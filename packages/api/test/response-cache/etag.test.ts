import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ApiResponse } from '../check-response.ts'
import { makePack, samplePacks } from '../sample-packs.ts'
import { startApi, type TestApi } from '../start-api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startApi({ versions: samplePacks })
})
afterAll(() => api.close())

describe('If-None-Match', () => {
  it.each([
    ['the tag', (tag: string) => tag],
    ['the tag as a weak one', (tag: string) => `W/${tag}`],
    ['the tag among others', (tag: string) => `"a", ${tag}, "b"`],
    ['the tag behind 200 others', (tag: string) => `${'"0123456789abcdef", '.repeat(200)}${tag}`],
    ['the tag behind odd ones', (tag: string) => `"\u00e9",W/"",  ${tag}`],
  ])('gives 304 without a body for %s', async (_what, write) => {
    const { headers } = await api.request('/api/v1/packs/go', { key: api.pro.key })
    const again = await api.request('/api/v1/packs/go', {
      key: api.pro.key,
      headers: { 'if-none-match': write(headers.etag!) },
    })
    expect(again.status).toBe(304)
    expect(again.bytes).toHaveLength(0)
    expect(again.headers.etag).toBe(headers.etag)
  })

  it('gives 304 with the very tag that the pack would have in the encoding asked for, and the pack for that of another', async () => {
    const ask = (encoding: string, tag?: string): Promise<ApiResponse> =>
      api.request('/api/v1/packs/go', {
        key: api.pro.key,
        headers: { 'accept-encoding': encoding, ...(tag !== undefined && { 'if-none-match': tag }) },
      })
    const tags = new Map<string, string>()
    for (const encoding of ['identity', 'gzip', 'br', 'zstd'])
      tags.set(encoding, String((await ask(encoding)).headers.etag))
    expect(new Set(tags.values()).size).toBe(4)
    for (const [encoding, tag] of tags) {
      for (const other of tags.values()) {
        const { status, headers } = await ask(encoding, other)
        expect([status, headers.etag]).toEqual([other === tag ? 304 : 200, tag])
      }
      const all = await ask(encoding, [...tags.values()].join(', '))
      expect([all.status, all.headers.etag]).toEqual([304, tag])
    }
  })

  it('gives 304 in any encoding for a list, whose tag says what it holds', async () => {
    const key = api.pro.key
    const first = await api.request('/api/v1/packs', { key, headers: { 'accept-encoding': 'br' } })
    for (const encoding of ['br', 'gzip', 'identity']) {
      const headers = { 'accept-encoding': encoding, 'if-none-match': first.headers.etag! }
      const again = await api.request('/api/v1/packs', { key, headers })
      expect([again.status, again.headers.etag]).toEqual([304, first.headers.etag])
    }
  })

  it.each([['*'], ['"other"'], [''], ['rubbish']])('gives the pack for %s', async (header) => {
    const answer = await api.request('/api/v1/packs/go', {
      key: api.pro.key,
      headers: { 'if-none-match': header },
    })
    expect(answer.status).toBe(200)
  })

  it('does not take the preview of Free for the pack of Pro', async () => {
    const { headers } = await api.request('/api/v1/packs/go', { key: api.free.key })
    const asPro = await api.request('/api/v1/packs/go', {
      key: api.pro.key,
      headers: { 'if-none-match': headers.etag! },
    })
    expect(asPro.status).toBe(200)
  })
})

/** Both have made the same number of changes, as a catalog before it was lost and after it was restored. */
let lost: TestApi
let restored: TestApi
beforeAll(async () => {
  lost = await startApi({ versions: [makePack({ slug: 'lost' }), makePack({ slug: 'kept' })] })
  restored = await startApi({ versions: [makePack({ slug: 'kept' }), makePack({ slug: 'other' })] })
})
afterAll(async () => {
  await lost.close()
  await restored.close()
})

describe('tags of what follows from the whole catalog', () => {
  it.each(['/api/v1/packs', '/api/v1/packs/kept/versions', '/api/v1/packs/download'])(
    'are not known in a catalog whose secret was renewed: %s',
    async (path) => {
      const { etag } = (await lost.request(path, { key: lost.pro.key })).headers
      const headers = { 'if-none-match': etag! }
      expect((await lost.request(path, { key: lost.pro.key, headers })).status).toBe(304)
      expect((await restored.request(path, { key: restored.pro.key, headers })).status).toBe(200)
    },
  )
})
