import { expect, it } from 'vitest'
import { makePack, samplePacks } from '../sample-packs.ts'
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
  expect(meta).toEqual({ total: 5, page: 1, limit: 20, pages: 1, next: null })
})

it('links to the previous, first and last page', async () => {
  const { slugs, meta, link } = await list('?limit=2&page=2&difficulty=beginner&domain=languages')
  expect({ slugs, meta }).toEqual({
    slugs: [],
    meta: { total: 1, page: 2, limit: 2, pages: 1, next: null },
  })
  expect(link).toBe(
    '</api/v1/packs?domain=languages&difficulty=beginner&page=1&limit=2>; rel="prev", ' +
      '</api/v1/packs?domain=languages&difficulty=beginner&page=1&limit=2>; rel="first", ' +
      '</api/v1/packs?domain=languages&difficulty=beginner&page=1&limit=2>; rel="last"',
  )
})

it('links all pages by `next`, which is also in Link', async () => {
  const seen: string[] = []
  let path: string | null = '/api/v1/packs?limit=2'
  while (path !== null) {
    const { json, headers } = await api.request(path, { key: api.free.key })
    seen.push(...json.data.map((pack: { slug: string }) => pack.slug))
    path = json.meta.next
    expect(String(headers['link']).includes(`<${path}>; rel="next"`)).toBe(path !== null)
  }
  expect(seen).toEqual(['tls-certificates', 'go', 'plain', 'tls-basics', 'toukei'])
})

it('has no texts, not even for Pro', async () => {
  const { json } = await api.request('/api/v1/packs', { key: api.pro.key })
  // prettier-ignore
  expect(Object.keys(json.data[0]!).toSorted()).toEqual([
    'compression', 'description', 'difficulty', 'domain', 'domain_slug', 'id', 'net_savings_pct',
    'preview_tokens', 'prompt_tokens', 'published_at', 'rosetta_tokens', 'savings_pct', 'sha256', 'slug',
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
  expect((await other.request('/api/v1/packs?page=1', { key })).headers.etag).toBe(first)
  expect((await other.request('/api/v1/packs?page=2', { key })).headers.etag).not.toBe(first)
  await other.catalog.packs.commit([makePack({ slug: 'new' })])
  const fresh = await startApi({ catalog: other.catalog })
  const again = await fresh.request('/api/v1/packs', { key, headers: { 'if-none-match': first } })
  expect(again.status).toBe(200)
  expect(again.json.meta.total).toBe(6)
})
