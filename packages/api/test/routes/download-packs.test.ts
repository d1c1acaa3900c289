import { gunzipSync, brotliDecompressSync } from 'node:zlib'
import type { NewVersion } from '@packs/catalog'
import { describe, expect, it } from 'vitest'
import { makePack, samplePacks } from '../sample-packs.ts'
import { startApi, type TestApi } from '../../../test-kit/test/start-api.ts'
import { actor } from '../../../test-kit/test/make-version.ts'

const start = (versions: readonly NewVersion[]): Promise<TestApi> => startApi({ versions })

/** Downloads all pages; returns the entries and the resume cursor. */
const takeAll = async (
  api: TestApi,
  query = '',
): Promise<{ entries: { slug: string; removed?: true }[]; resume: string; pages: number }> => {
  const entries: { slug: string; removed?: true }[] = []
  for (let cursor = '', pages = 1; ; pages++) {
    const path = `/api/v1/packs/download?${query}${cursor === '' ? '' : `&cursor=${cursor}`}`
    const { status, json } = await api.request(path, { key: api.pro.key })
    expect(status).toBe(200)
    entries.push(...json.data)
    expect(json.meta.count).toBe(json.data.length)
    if (json.meta.next_cursor === null) return { entries, resume: json.meta.resume_cursor, pages }
    cursor = json.meta.next_cursor
  }
}

const name = ({ slug, removed }: { slug: string; removed?: true }): string => (removed ? `-${slug}` : slug)

describe('GET /packs/download', async () => {
  const api = await start(samplePacks)

  it('returns every pack once, in the order of changes, and lists one that was removed meanwhile', async () => {
    const versions = Array.from({ length: 150 }, (_, at) => makePack({ slug: `pack-${at}` }))
    const slugs = versions.map(({ pack }) => pack.slug)
    const api = await start(versions)
    const { entries, pages } = await takeAll(api)
    expect(entries.map(name)).toEqual(slugs)
    expect(pages).toBe(2)

    const headers = { accept: 'application/x-ndjson' }
    const first = await api.request('/api/v1/packs/download', { key: api.pro.key, headers })
    expect(first.headers['content-type']).toBe('application/x-ndjson; charset=utf-8')
    const lines = first.text.split('\n')
    expect(lines.pop()).toBe('')
    expect(lines.map((line) => name(JSON.parse(line) as { slug: string }))).toEqual(slugs.slice(0, 100))
    const [, next = ''] = /^<([^>]+)>; rel="next"$/.exec(String(first.headers.link)) ?? []
    await api.catalog.packs.yank('pack-3', '1.0.0', 'wrong', actor)
    const rest = await takeAll(await restart(api), new URL(next, 'http://a').searchParams.toString())
    expect(rest.entries.map(name)).toEqual([...slugs.slice(100), '-pack-3'])
    const end = await api.request(`/api/v1/packs/download?cursor=${rest.resume}`, {
      key: api.pro.key,
      headers,
    })
    expect([end.text, end.headers.link]).toEqual(['', expect.stringMatching(/; rel="resume"$/)])
  })

  it('resumes with new, changed and removed packs', async () => {
    const api = await start(samplePacks)
    const { resume } = await takeAll(api)
    const nothing = await takeAll(api, `cursor=${resume}`)
    expect(nothing.entries).toEqual([])
    await api.catalog.packs.commit([makePack({ slug: 'new' })])
    await api.catalog.packs.yank('go', '1.0.0', 'wrong', actor)
    const { entries, resume: later } = await takeAll(await restart(api), `cursor=${resume}`)
    expect(entries.map(name)).toEqual(['new', '-go'])
    expect(Object.keys(entries[1]!)).toEqual(['id', 'slug', 'removed', 'updated_at'])
    expect((await takeAll(await restart(api), `cursor=${later}`)).entries).toEqual([])
  })

  it('does not list packs that were removed before it began', async () => {
    const api = await start(samplePacks)
    await api.catalog.packs.yank('go', '1.0.0', 'wrong', actor)
    expect((await takeAll(await restart(api))).entries.map(name)).toEqual([
      'tls-basics',
      'tls-certificates',
      'toukei',
      'plain',
    ])
  })

  it('returns changes and removals since a time, inclusive', async () => {
    const api = await start(samplePacks)
    api.setTime('2026-03-02T00:00:00.000Z')
    await api.catalog.packs.commit([makePack({ slug: 'new' })])
    await api.catalog.packs.yank('go', '1.0.0', 'wrong', actor)
    const again = await restart(api)
    for (const since of ['2026-03-02T00:00:00Z', '2026-03-02T01:00:00%2B01:00', '2026-03-01T12:00:00.001Z']) {
      const { entries } = await takeAll(again, `updated_since=${since}`)
      expect(entries.map(name)).toEqual(['new', '-go'])
    }
    expect((await takeAll(again, 'updated_since=2026-03-02T00:00:00.001Z')).entries).toEqual([])
  })

  it('filters by domain and difficulty', async () => {
    expect((await takeAll(api, 'domain=languages')).entries.map(name)).toEqual(['go', 'plain'])
    expect((await takeAll(api, 'difficulty=expert')).entries.map(name)).toEqual(['tls-certificates'])
  })

  it('binds cursors to their filters and to this service', async () => {
    const { resume } = await takeAll(api, 'domain=languages')
    const [place = '', signature = ''] = resume.split('.')
    const forged = Buffer.from(place, 'base64url')
    forged[5] = forged[5]! ^ 1
    const bad = [
      `cursor=${resume}`,
      `domain=web-security&cursor=${resume}`,
      `domain=languages&difficulty=expert&cursor=${resume}`,
      `domain=languages&cursor=${forged.toString('base64url')}.${signature}`,
      `domain=languages&cursor=${place}.${signature.slice(1)}`,
      `domain=languages&cursor=${place}.${spellOtherwise(signature)}`,
      'domain=languages&cursor=abc',
      'domain=languages&cursor=a.b',
    ]
    for (const query of bad) {
      const { status, json } = await api.request(`/api/v1/packs/download?${query}`, { key: api.pro.key })
      expect({ status, errors: json.errors.map((error: { parameter: string }) => error.parameter) }).toEqual({
        status: 400,
        errors: ['cursor'],
      })
    }
    expect(
      (await api.request(`/api/v1/packs/download?cursor=${resume}&domain=languages`, { key: api.pro.key }))
        .status,
    ).toBe(200)
  })

  it('ends a page at 32 MiB', async () => {
    // A preview counts as much as a content, and is not indexed.
    const text = { preview_content: 'x'.repeat(12 * 1024 * 1024) }
    const versions = Array.from({ length: 3 }, (_, at) => makePack({ slug: `large-${at}` }, text))
    const api = await start(versions)
    const first = await api.request('/api/v1/packs/download', { key: api.pro.key })
    expect(first.json.data.map(name)).toEqual(['large-0', 'large-1'])
    const second = await api.request(`/api/v1/packs/download?cursor=${first.json.meta.next_cursor}`, {
      key: api.pro.key,
    })
    expect(second.json.data.map(name)).toEqual(['large-2'])
    expect(second.json.data[0]?.['preview_content'] === text.preview_content).toBe(true)
  })

  it.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ] as const)('is encoded as %s', async (encoding, decompress) => {
    const { bytes, headers } = await api.request('/api/v1/packs/download', {
      key: api.pro.key,
      headers: { 'accept-encoding': encoding },
    })
    expect(headers['content-encoding']).toBe(encoding)
    expect((JSON.parse(decompress(bytes).toString()) as { data: unknown[] }).data).toHaveLength(5)
  })

  it('is charged as one request, and not while nothing changed', async () => {
    const { key } = await api.addCustomer('pro', 1)
    const { headers } = await api.request('/api/v1/packs/download', { key })
    expect(headers.ratelimit).toBe('"daily";r=0;t=43200')
    const again = await api.request('/api/v1/packs/download', {
      key,
      headers: { 'if-none-match': headers.etag! },
    })
    expect(again.status).toBe(304)
    expect((await api.request('/api/v1/packs/download', { key })).status).toBe(429)
  })

  it('sends Free accounts the required tier and the upgrade URL, not charged', async () => {
    const { json, headers } = await api.request('/api/v1/packs/download', { key: api.free.key })
    expect(json).toMatchObject({ code: 'tier_required', required_tier: 'pro', upgrade: '/docs#tiers' })
    expect(headers.ratelimit).toContain('r=10000000;')
    expect((await api.request('/api/v1/packs/download?x=1', { key: api.free.key })).status).toBe(400)
  })
})

/** Starts another server on the same catalog, with empty caches. */
const restart = ({ catalog }: TestApi): Promise<TestApi> => startApi({ catalog })

/** Returns another spelling of the same 16 bytes: the last four bits of 22 base64 characters are unused. */
function spellOtherwise(signature: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return `${signature.slice(0, -1)}${letters[letters.indexOf(signature.at(-1)!) + 1]}`
}
