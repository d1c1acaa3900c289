import { expect, it } from 'vitest'
import { makePack, samplePacks } from '../sample-packs.ts'
import { actor } from '../../../test-kit/test/make-version.ts'
import { startApi } from '../../../test-kit/test/start-api.ts'

const api = await startApi({ versions: samplePacks })

const list = async (
  query: string,
): Promise<{ slugs: string[]; meta: Record<string, unknown>; link: string }> => {
  const { json, headers } = await api.request(`/api/v1/packs${query}`, { key: api.free.key })
  return {
    slugs: json.data.map((pack: { slug: string }) => pack.slug),
    meta: json.meta,
    link: String(headers['link']),
  }
}

it('orders by title in lower case, and counts the matches', async () => {
  const { slugs, meta } = await list('')
  expect(slugs).toEqual(['tls-certificates', 'go', 'plain', 'tls-basics', 'toukei'])
  expect(meta).toEqual({ total: 5, page: 1, limit: 20, pages: 1, next_cursor: null, next: null })
})

it('links to the previous, first and last page', async () => {
  const { slugs, meta, link } = await list('?limit=2&page=2&difficulty=beginner&domain=languages')
  expect({ slugs, meta }).toEqual({
    slugs: [],
    meta: { total: 1, page: 2, limit: 2, pages: 1, next_cursor: null, next: null },
  })
  expect(link).toBe(
    '</api/v1/packs?domain=languages&difficulty=beginner&page=1&limit=2>; rel="prev", ' +
      '</api/v1/packs?domain=languages&difficulty=beginner&page=1&limit=2>; rel="first", ' +
      '</api/v1/packs?domain=languages&difficulty=beginner&page=1&limit=2>; rel="last"',
  )
})

it.each([
  ['a cursor', '', /[?&]cursor=[\w-]+\.[\w-]+&/],
  ['a page number', '&page=1', /[?&]page=\d&/],
])('links all pages by `next` with %s, which is also in Link', async (_what, start, form) => {
  const seen: string[] = []
  let path: string | null = `/api/v1/packs?limit=2${start}`
  while (path !== null) {
    const { json, headers } = await api.request(path, { key: api.free.key })
    seen.push(...json.data.map((pack: { slug: string }) => pack.slug))
    path = json.meta.next
    expect(String(headers['link']).includes(`<${path}>; rel="next"`)).toBe(path !== null)
    expect(path ?? start).toMatch(path === null ? '' : form)
    expect(json.meta.next_cursor !== null).toBe(path !== null)
  }
  expect(seen).toEqual(['tls-certificates', 'go', 'plain', 'tls-basics', 'toukei'])
})

it('continues after the last pack, with any limit, although packs come and go before it', async () => {
  const titles = ['b', 'c', 'd', 'ヘ', '\u{1F600}'.repeat(150), '"\\'.repeat(150), '統'.repeat(300)]
  const own = await startApi({
    versions: titles.map((title, at) => makePack({ slug: `p-${at}`, title, domain_slug: 'x' })),
  })
  const key = own.pro.key
  const seen: string[] = []
  let cursor = ''
  for (let limit = 2, page = 0; page < 9; page++, limit = 1) {
    const { json } = await own.request(`/api/v1/packs?domain=x&limit=${limit}${cursor}`, { key })
    seen.push(...json.data.map(({ slug }: { slug: string }) => slug))
    expect(json.meta.page).toBe(cursor === '' ? 1 : null)
    if (json.meta.next_cursor === null) break
    cursor = `&cursor=${json.meta.next_cursor}`
    await own.catalog.packs.commit([makePack({ slug: `n-${page}`, title: `a${page}`, domain_slug: 'x' })])
    if (page === 0) await own.catalog.packs.yank('p-0', '1.0.0', 'wrong', actor)
  }
  expect(seen.toSorted()).toEqual(titles.map((_, at) => `p-${at}`))
})

const listCursor = async (query: string): Promise<string> => {
  const { json } = await api.request(`/api/v1/packs?limit=1${query}`, { key: api.pro.key })
  return String(json.meta.next_cursor)
}

it.each([
  ['page and cursor', async () => `page=1&cursor=${await listCursor('')}`],
  ['another domain', async () => `domain=languages&cursor=${await listCursor('')}`],
  ['another level', async () => `difficulty=expert&cursor=${await listCursor('')}`],
  ['no search', async () => `cursor=${await listCursor('&search=tls')}`],
  ['other tokens', async () => `max_tokens=9&cursor=${await listCursor('&max_tokens=999')}`],
  ['a changed position', async () => `cursor=${(await listCursor('')).replace(/^../, 'WW')}`],
  ['a changed signature', async () => `cursor=${(await listCursor('')).replace(/..$/, 'AA')}`],
  ['no signature', async () => `cursor=${(await listCursor('')).replace(/\..*/, '')}`],
  ['a longer one', async () => `cursor=${await listCursor('')}A`],
  ['padding', async () => `cursor=${await listCursor('')}%3D`],
  ['rubbish', () => 'cursor=%F0%9F%98%80'],
  ['nothing', () => 'cursor='],
  ['6,001 characters', () => `cursor=${'a'.repeat(5998)}.aa`],
  [
    'that of a download',
    async () => {
      const { json } = await api.request('/api/v1/packs/download', { key: api.pro.key })
      return `cursor=${json.meta.resume_cursor}`
    },
  ],
])('rejects a cursor with %s', async (_what, write: () => string | Promise<string>) => {
  const { status, json } = await api.request(`/api/v1/packs?${await write()}`, { key: api.pro.key })
  expect([status, json.code, json.errors[0]?.parameter]).toEqual([400, 'invalid_parameter', 'cursor'])
})

it('a download rejects the cursor of a list', async () => {
  const path = `/api/v1/packs/download?cursor=${await listCursor('')}`
  expect((await api.request(path, { key: api.pro.key })).status).toBe(400)
})

it('has no texts, not even for Pro', async () => {
  const { json } = await api.request('/api/v1/packs', { key: api.pro.key })
  // prettier-ignore
  expect(Object.keys(json.data[0]!).toSorted()).toEqual([
    'compression', 'description', 'difficulty', 'domain', 'domain_slug', 'id', 'net_savings_pct',
    'preview_tokens', 'published_at', 'rosetta_tokens', 'savings_pct', 'sha256', 'slug',
    'subdomain', 'tags', 'title', 'token_count', 'tokenizer', 'uncompressed_estimate', 'updated_at',
    'version',
  ])
})

it.each([
  ['words in any order', '?search=tls%20certif', ['tls-certificates']],
  ['any case', '?search=TLS+CERTIFICATES', ['tls-certificates']],
  ['two characters', '?search=Go', ['go']],
  ['two characters of another script', `?search=${encodeURIComponent('統計')}`, ['toukei']],
  ['other Unicode forms of a letter', `?search=${encodeURIComponent('ｔｌｓ ｂ')}`, ['tls-basics']],
  ['characters with a meaning in SQL', `?search=${encodeURIComponent('%_*"\'')}`, []],
  ['an unknown domain', '?domain=nothing', []],
  ['a difficulty', '?difficulty=expert', ['tls-certificates']],
  ['the tokens of content and header together', '?max_tokens=106&domain=web-security', ['tls-basics']],
  ['a maximum that is one token too low', '?max_tokens=105&domain=web-security', []],
])('finds by %s', async (_what, query, expected) => {
  expect((await list(query)).slugs).toEqual(expected)
})

it('ends at the 10,000th pack with an error that names the bulk download', async () => {
  expect((await api.request('/api/v1/packs?page=100&limit=100', { key: api.free.key })).json.data).toEqual([])
  const { json } = await api.request('/api/v1/packs?page=101&limit=100', { key: api.free.key })
  expect(json).toMatchObject({ status: 400, code: 'invalid_parameter', errors: [{ parameter: 'page' }] })
  expect(json.errors[0]?.detail).toContain('/api/v1/packs/download')
})

it('has a weak tag that changes with the catalog and the query', async () => {
  const other = await startApi({ versions: samplePacks })
  const { key } = other.free
  const first = (await other.request('/api/v1/packs', { key })).headers.etag!
  expect(first).toMatch(/^W\//)
  expect((await other.request('/api/v1/packs?limit=20', { key })).headers.etag).toBe(first)
  expect((await other.request('/api/v1/packs?page=2', { key })).headers.etag).not.toBe(first)
  await other.catalog.packs.commit([makePack({ slug: 'new' })])
  const fresh = await startApi({ catalog: other.catalog })
  const again = await fresh.request('/api/v1/packs', { key, headers: { 'if-none-match': first } })
  expect(again.status).toBe(200)
  expect(again.json.meta.total).toBe(6)
})
