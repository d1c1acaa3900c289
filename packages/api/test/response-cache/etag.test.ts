import { z } from 'zod'
import { createTagWriter } from '../../src/response-cache/body.ts'
import { describe, expect, it } from 'vitest'
import type { ApiResponse } from '../../../test-kit/test/check-response.ts'
import { makePack, samplePacks } from '../sample-packs.ts'
import { startApi } from '../../../test-kit/test/start-api.ts'

const api = await startApi({ versions: samplePacks })
const ask = (headers = {}): Promise<ApiResponse> =>
  api.request('/api/v1/packs/go', { key: api.pro.key, headers })

describe('If-None-Match', () => {
  it.each([
    ['the tag', (tag: string) => tag],
    ['the tag as a weak one', (tag: string) => `W/${tag}`],
    ['the tag among others', (tag: string) => `"a", ${tag}, "b"`],
    ['the tag after 200 others', (tag: string) => `${'"0123456789abcdef", '.repeat(200)}${tag}`],
    ['the tag after unusual ones', (tag: string) => `"\u00e9",W/"",  ${tag}`],
  ])('gets 304 without a body for %s', async (_what, write) => {
    const { headers } = await ask()
    const again = await ask({ 'if-none-match': write(headers.etag!) })
    expect(again.status).toBe(304)
    expect(again.bytes).toHaveLength(0)
    expect(again.headers.etag).toBe(headers.etag)
  })

  it('gets 304 only for the tag of the pack in the negotiated encoding, and the pack for the tag of another', async () => {
    const request = (encoding: string, tag?: string): Promise<ApiResponse> =>
      ask({ 'accept-encoding': encoding, ...(tag !== undefined && { 'if-none-match': tag }) })
    const tags = new Map<string, string>()
    for (const encoding of ['identity', 'gzip', 'br', 'zstd'])
      tags.set(encoding, String((await request(encoding)).headers.etag))
    expect(new Set(tags.values()).size).toBe(4)
    for (const [encoding, tag] of tags) {
      for (const other of tags.values()) {
        const { status, headers } = await request(encoding, other)
        expect([status, headers.etag]).toEqual([other === tag ? 304 : 200, tag])
      }
      const all = await request(encoding, [...tags.values()].join(', '))
      expect([all.status, all.headers.etag]).toEqual([304, tag])
    }
  })

  it('gets 304 in any encoding for a list, whose tag is weak', async () => {
    const key = api.pro.key
    const first = await api.request('/api/v1/packs', { key, headers: { 'accept-encoding': 'br' } })
    for (const encoding of ['br', 'gzip', 'identity']) {
      const headers = { 'accept-encoding': encoding, 'if-none-match': first.headers.etag! }
      const again = await api.request('/api/v1/packs', { key, headers })
      expect([again.status, again.headers.etag]).toEqual([304, first.headers.etag])
    }
  })

  it.each([['"other"'], [''], ['rubbish'], ['*, "other"']])('gets the pack for %s', async (header) => {
    expect((await ask({ 'if-none-match': header })).status).toBe(200)
  })
})

type Conditions = Readonly<Record<string, string>>
const TAG = '"tag of the response"'

/** Paths with a strong tag and with a weak one; the last two need no key. */
const PATHS = [
  ['/api/v1/packs/go', 'strong'],
  ['/api/v1/packs/go/versions/1.0.0', 'strong'],
  ['/api/v1/packs', 'weak'],
  ['/api/v1/packs/go/versions', 'weak'],
  ['/api/v1/packs/download', 'weak'],
  ['/openapi.json', 'strong'],
  ['/docs', 'strong'],
] as const

it.each<[Conditions, number, number]>([
  [{ 'if-none-match': '*' }, 304, 304],
  [{ 'if-none-match': ' * ' }, 304, 304],
  [{ 'if-none-match': `"x", W/${TAG}` }, 304, 304],
  [{ 'if-match': '*' }, 200, 200],
  [{ 'if-match': '*', 'if-none-match': '*' }, 304, 304],
  [{ 'if-match': TAG }, 200, 412],
  [{ 'if-match': `"x",,${TAG} , "y"` }, 200, 412],
  [{ 'if-match': `W/${TAG}` }, 412, 412],
  [{ 'if-match': `w/${TAG}` }, 412, 412],
  [{ 'if-match': '"x"' }, 412, 412],
  [{ 'if-match': '' }, 412, 412],
  [{ 'if-match': TAG, 'if-none-match': TAG }, 304, 412],
  [{ 'if-match': '"x"', 'if-none-match': TAG }, 412, 412],
  [{ 'if-match': '"x"', 'if-none-match': '*' }, 412, 412],
  [{ 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 200, 200],
  [{ 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' }, 200, 200],
])('preconditions follow RFC 9110, and only 200 is charged: %o', async (conditions, strong, weak) => {
  const { key } = await api.addCustomer('pro')
  const used = async (): Promise<number> => (await api.request('/api/v1/usage', { key })).json.used
  for (const [path, kind] of PATHS) {
    const { etag = '"?"' } = (await api.request(path, { key })).headers
    const pairs = Object.entries(conditions).map(([name, value]) => [
      name,
      value.replace(TAG, String(etag).replace('W/', '')),
    ])
    const before = await used()
    const { status, json, bytes } = await api.request(path, { key, headers: Object.fromEntries(pairs) })
    expect([path, status]).toEqual([path, { strong, weak }[kind]])
    expect(status === 412 ? json.code : bytes.length === 0).toBe(
      status === 412 ? 'precondition_failed' : status === 304,
    )
    expect([path, await used()]).toEqual([
      path,
      before + (status === 200 && path.startsWith('/api/') ? 1 : 0),
    ])
  }
  const missing = await api.request('/api/v1/packs/nothing', { key, headers: conditions })
  expect(missing.status).toBe(404)
})

/** Both catalogs have the same number of changes, like a catalog before its loss and after its restore. */
const lost = await startApi({ versions: [makePack({ slug: 'lost' }), makePack({ slug: 'kept' })] })
const restored = await startApi({ versions: [makePack({ slug: 'kept' }), makePack({ slug: 'other' })] })

describe('a client with the body of an earlier version', () => {
  it.each([
    ['pro', 'i6ko6K'],
    ['free', 'KXu5yv'],
  ] as const)('gets the pack with the fields that it lacks: %s', async (tier, earlierFormat) => {
    const { key } = api[tier]
    const { headers } = await api.request('/api/v1/packs/go', { key })
    const earlier = headers.etag!.replace(/(?<=\.json\.)[\w-]{6}/, earlierFormat)
    expect(earlier).not.toBe(headers.etag)
    const again = await api.request('/api/v1/packs/go', { key, headers: { 'if-none-match': earlier } })
    expect(again.status).toBe(200)
    expect(again.json).toMatchObject({ description: null, tags: [] })
  })
})

describe('tags that depend on the whole catalog', () => {
  it.each(['/api/v1/packs', '/api/v1/packs/kept/versions', '/api/v1/packs/download'])(
    'do not match in a catalog with a renewed secret: %s',
    async (path) => {
      const { etag } = (await lost.request(path, { key: lost.pro.key })).headers
      const headers = { 'if-none-match': etag! }
      expect((await lost.request(path, { key: lost.pro.key, headers })).status).toBe(304)
      expect((await restored.request(path, { key: restored.pro.key, headers })).status).toBe(200)
    },
  )
})

describe('tags', () => {
  it('change with the fields of the body, so that an upgrade does not answer 304 for an older body', () => {
    const older = z.object({ data: z.array(z.string()) })
    const newer = older.extend({ total: z.int() })
    const writeTag = createTagWriter(new Uint8Array(32))
    expect(writeTag(7, 'page=1', older)).toBe(writeTag(7, 'page=1', older.clone()))
    expect(writeTag(7, 'page=1', newer)).not.toBe(writeTag(7, 'page=1', older))
  })
})
