import { createHash } from 'node:crypto'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makePack, samplePacks } from '../sample-packs.ts'
import { startApi, type TestApi } from '../start-api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startApi({
    versions: [
      ...samplePacks,
      makePack({ slug: 'grown', version: '1.0.0' }),
      makePack({ slug: 'grown', version: '1.1.0', parent: '1.0.0' }),
      makePack({ slug: 'grown', version: '2.0.0', parent: '1.1.0' }),
    ],
  })
  await api.catalog.packs.yank('grown', '2.0.0', 'names a revoked authority')
})
afterAll(() => api.close())

describe('GET /packs/{id}', () => {
  it('shows Free callers nothing that only Pro callers pay for', async () => {
    const { text } = await api.request('/api/v1/packs/tls-basics', { key: api.free.key })
    expect(text).not.toContain('A KP comes back')
    expect(text).not.toContain('DECODE')
    expect(text).not.toContain('pack_digest')
  })

  it('gives the highest version that is not withdrawn', async () => {
    expect((await api.request('/api/v1/packs/grown', { key: api.pro.key })).json.version).toBe('1.1.0')
  })

  it('shows a raised tier within half a second of the clock', async () => {
    const { account, key } = await api.addCustomer('free')
    expect((await api.request('/api/v1/packs/go', { key })).json.preview).toBe(true)
    await api.catalog.accounts.setTier(account.id, 'pro')
    api.setTime('2026-03-01T12:00:00.500Z')
    expect((await api.request('/api/v1/packs/go', { key })).json.preview).toBe(false)
  })

  it.each([
    ['pro', 'go', '[DECODE] KP=knowledge pack\n\n# Go\n\nA KP comes back as it was. '],
    ['pro', 'plain', '# Plain text\n\nA KP comes back as it was. '],
    ['free', 'go', '# Go\n'],
  ] as const)('gives %s callers %s to paste', async (tier, slug, start) => {
    const headers = { accept: 'text/markdown' }
    const answer = await api.request(`/api/v1/packs/${slug}`, { key: api[tier].key, headers })
    expect(answer.headers['content-type']).toBe('text/markdown; charset=utf-8')
    const isWhole = tier === 'free'
    expect(isWhole ? answer.text : answer.text.slice(0, start.length)).toBe(start)
  })

  it.each([
    undefined,
    '*/*',
    'text/html',
    'application/json',
    'text/markdown;q=0',
    'text/markdown;q=0.1, application/json',
    'text/markdown;q=0.5, */*;q=0.8',
    'text/markdown;q=0.5, application/*',
    'no type at all',
  ])('gives JSON for Accept: %s', async (accept) => {
    const headers = accept === undefined ? {} : { accept }
    const answer = await api.request('/api/v1/packs/go', { key: api.pro.key, headers })
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  })

  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
    ['zstd', zstdDecompressSync],
  ] as const)('travels as %s, with a tag and a digest of its own', async (encoding, decompress) => {
    const plain = await api.request('/api/v1/packs/go', { key: api.pro.key })
    const packed = await api.request('/api/v1/packs/go', {
      key: api.pro.key,
      headers: { 'accept-encoding': encoding },
    })
    expect(packed.headers['content-encoding']).toBe(encoding)
    expect(decompress(packed.bytes).equals(plain.bytes)).toBe(true)
    expect(packed.headers.etag).toBe(plain.headers.etag?.replace(/"$/, `-${encoding}"`))
    for (const { bytes, headers } of [plain, packed]) {
      const digest = createHash('sha256').update(bytes).digest('base64')
      expect(headers['content-digest']).toBe(`sha-256=:${digest}:`)
      expect(headers['content-length']).toBe(String(bytes.length))
    }
  })

  it.each([
    ['gzip;q=0.5, br;q=0.9', 'br'],
    ['gzip, br;q=0', 'gzip'],
    ['*', 'br'],
    ['identity, gzip;q=0.2', undefined],
    ['', undefined],
  ])('weighs Accept-Encoding: %s', async (header, expected) => {
    const answer = await api.request('/api/v1/packs/go', {
      key: api.pro.key,
      headers: { 'accept-encoding': header },
    })
    expect(answer.headers['content-encoding']).toBe(expected)
  })

  it('answers HEAD with the header fields of GET', async () => {
    const get = await api.request('/api/v1/packs/go', { key: api.pro.key })
    const head = await api.request('/api/v1/packs/go', { key: api.pro.key, method: 'HEAD' })
    expect(head.bytes).toHaveLength(0)
    for (const name of [
      'etag',
      'content-length',
      'content-type',
      'content-digest',
      'cache-control',
      'vary',
    ]) {
      expect(head.headers[name]).toBe(get.headers[name])
    }
  })

  it('has other tags for tiers, formats and changes of the pack', async () => {
    const ask = async (key: string, accept: string): Promise<string | undefined> =>
      (await api.request('/api/v1/packs/go', { key, headers: { accept } })).headers.etag
    const tags = [
      await ask(api.pro.key, 'application/json'),
      await ask(api.free.key, 'application/json'),
      await ask(api.pro.key, 'text/markdown'),
      await ask(api.free.key, 'text/markdown'),
    ]
    expect(new Set(tags).size).toBe(4)
  })
})

describe('versions', () => {
  it('are listed from the highest down, with the reason of a withdrawn one', async () => {
    const { json } = await api.request('/api/v1/packs/grown/versions', { key: api.free.key })
    expect(json.meta).toEqual({ total: 3 })
    expect(json.data.map(({ version, yanked }) => [version, yanked])).toEqual([
      ['2.0.0', true],
      ['1.1.0', false],
      ['1.0.0', false],
    ])
    expect(json.data[0]?.yanked_reason).toBe('names a revoked authority')
    expect(Object.keys(json.data[0]!)).toEqual([
      'version',
      'published_at',
      'token_count',
      'sha256',
      'yanked',
      'yanked_reason',
    ])
  })

  it.each([
    ['pro', '1.0.0', 'private, max-age=31536000, immutable'],
    ['free', '1.0.0', 'private, no-cache'],
    ['pro', '2.0.0', 'private, no-cache'],
  ] as const)('are kept by %s callers, %s, as long as they stay right', async (tier, version, caching) => {
    const answer = await api.request(`/api/v1/packs/grown/versions/${version}`, { key: api[tier].key })
    expect(answer.headers['cache-control']).toBe(caching)
    expect(answer.json).toMatchObject({ version, preview: tier === 'free' })
  })

  it.each([
    ['1.0.0', undefined],
    ['2.0.0', 'true'],
  ])('say whether they were withdrawn, also where nothing changed: %s', async (version, expected) => {
    for (const { key } of [api.free, api.pro]) {
      const path = `/api/v1/packs/grown/versions/${version}`
      const whole = await api.request(path, { key })
      const known = await api.request(path, { key, headers: { 'if-none-match': whole.headers.etag! } })
      expect([whole.status, whole.headers['x-yanked']]).toEqual([200, expected])
      expect([known.status, known.headers['x-yanked']]).toEqual([304, expected])
    }
  })

  it('stay the same, byte for byte, when their pack changes', async () => {
    const other = await startApi({ versions: [makePack({ slug: 'a', version: '1.0.0' })] })
    try {
      const path = '/api/v1/packs/a/versions/1.0.0'
      const before = await other.request(path, { key: other.pro.key })
      other.setTime('2026-03-02T00:00:00.000Z')
      await other.catalog.packs.commit([makePack({ slug: 'a', version: '2.0.0', parent: '1.0.0' })])
      const fresh = await startApi({ catalog: other.catalog })
      const after = await fresh.request(path, { key: fresh.pro.key })
      await fresh.close()
      expect(after.text).toBe(before.text)
      expect(after.headers.etag).toBe(before.headers.etag)
    } finally {
      await other.close()
    }
  })

  it.each([
    ['grown/versions/9.9.9', 'version_not_found'],
    ['grown/versions/latest', 'version_not_found'],
    ['nothing/versions/1.0.0', 'pack_not_found'],
    ['nothing/versions', 'pack_not_found'],
    ['nothing', 'pack_not_found'],
    ['pk_00000000000000000000000000', 'pack_not_found'],
    ['grown/versions/', 'not_found'],
    ['/versions', 'not_found'],
    ['', 'not_found'],
    ['grown/', 'not_found'],
  ])('at %s end in %s', async (path, code) => {
    const { status, json } = await api.request(`/api/v1/packs/${path}`, { key: api.pro.key })
    expect({ status, code: json.code }).toEqual({ status: 404, code })
  })
})
