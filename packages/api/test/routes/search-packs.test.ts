import type { Catalog } from '@packs/catalog'
import { expect, it } from 'vitest'
import { describeDatabases } from '../../../test-kit/test/test-database.ts'
import { buildVersion } from '../../../test-kit/test/build-version.ts'
import type { ApiResponse } from '../../../test-kit/test/check-response.ts'
import { startApi, type TestApi } from '../../../test-kit/test/start-api.ts'
import { bread, redis } from './redis-pack.ts'
import { listPairs } from '../../../test-kit/test/list-pairs.ts'

const versions = await Promise.all([
  buildVersion({ slug: 'redis', title: 'Redis in practice', body: redis }),
  bread,
  buildVersion({
    slug: 'signals',
    title: 'リアクティブ入門',
    body: '# シグナル\n\nリアクティブな値を読む。\n',
    scheme: 'none',
  }),
  ...Array.from({ length: 24 }, (_, at) =>
    buildVersion({
      slug: `note-${at}`,
      title: `Note ${at}`,
      body: `# Heading\n\nAbout gardening, part ${at}.\n`,
      scheme: 'none',
    }),
  ),
])

const find = (api: TestApi, query: string, key = api.pro.key, headers = {}): Promise<ApiResponse> =>
  api.request(`/api/v1/search?${query}`, { key, headers })

const ask = async (api: TestApi, q: string, rest = '', key = api.pro.key): Promise<ApiResponse['json']> =>
  (await find(api, `q=${encodeURIComponent(q)}${rest}`, key)).json

interface Hit {
  readonly pack: { readonly slug: string }
  readonly section: { readonly id: string } | null
  readonly snippet: string | null
  readonly matched: readonly string[]
  readonly also: readonly unknown[]
}

const listHits = ({ data }: ApiResponse['json']): readonly Hit[] => data as unknown as readonly Hit[]
const nameHits = (json: ApiResponse['json']): (string | undefined)[][] =>
  listHits(json).map(({ pack, section }) => (section === null ? [pack.slug] : [pack.slug, section.id]))

describeDatabases('GET /search in %s', async (database) => {
  const catalog = await database.open(await database.createCatalog())
  await catalog.packs.commit(versions)
  const api = await startApi({ catalog })

  it('finds the section that answers, with its pack and a snippet', async () => {
    const { data, meta } = await ask(api, 'how to set a key expiration')
    expect(data[0]).toEqual({
      pack: {
        id: versions[0].pack.id,
        slug: 'redis',
        title: 'Redis in practice',
        version: '1.0.0',
        pack_digest: versions[0].pack.pack_digest,
        domain_slug: versions[0].pack.domain_slug,
        difficulty: versions[0].pack.difficulty,
        token_count: versions[0].pack.token_count,
        rosetta_tokens: versions[0].pack.rosetta_tokens,
        uncompressed_estimate: versions[0].pack.uncompressed_estimate,
      },
      section: {
        id: 'key-expiration',
        title: 'Key expiration',
        path: ['Redis', 'Key expiration'],
        tokens: expect.any(Number),
      },
      snippet: 'Set a time to live with `EXPIRE`. An expired key is removed lazily.',
      matched: expect.arrayContaining(['heading', 'text']),
      also: [],
    })
    expect(meta).toMatchObject({ page: 1, limit: 10, next: null, query: { corrected: null } })
    expect(meta['damaged']).toBeUndefined()
  })

  it('names a section that can be fetched', async () => {
    const [[slug, id] = []] = nameHits(await ask(api, 'append-only file'))
    const { json } = await api.request(`/api/v1/packs/${slug}/sections/${id}`, { key: api.pro.key })
    expect(json.content).toContain('append-only file survive')
  })

  it('filters by domain, difficulty and tokens', async () => {
    expect((await ask(api, 'gardening', '&domain=nothing')).data).toEqual([])
    expect((await ask(api, 'gardening', '&difficulty=expert')).data).toEqual([])
    expect((await ask(api, 'gardening', '&max_tokens=1')).data).toEqual([])
    expect((await ask(api, 'gardening', '&max_tokens=1000')).data).toHaveLength(10)
  })

  it('links its pages, without a hit that comes twice', async () => {
    const seen: unknown[] = []
    let path: string | null = '/api/v1/search?q=gardening&limit=7'
    let total: unknown
    while (path !== null) {
      const { json } = await api.request(path, { key: api.pro.key })
      seen.push(...listHits(json).map(({ pack }) => pack.slug))
      path = json.meta.next
      total = json.meta['total']
    }
    expect(seen).toHaveLength(24)
    expect(new Set(seen).size).toBe(24)
    expect(total).toBe(24)
    const past = await ask(api, 'gardening', '&page=9&limit=7')
    expect([past.data, past.meta.next]).toEqual([[], null])
  })

  it('shows Free accounts all hits, with snippets of the preview only', async () => {
    const full = await ask(api, 'append-only file')
    const free = await ask(api, 'append-only file', '', api.free.key)
    expect(nameHits(free)).toEqual(nameHits(full))
    expect(listHits(full)[0]?.snippet).toContain('append-only file')
    expect(listHits(free)[0]?.snippet).toBeNull()
  })

  it.each(
    listPairs([
      ['q', '', 'q=', 'q=%20%09', 'q=a&q=b', `q=${'a'.repeat(401)}`],
      ['q', `q=${encodeURIComponent('"a" "b" “c” "d" "e"')}`, 'q=a%00b', 'q=%ff'],
      ['limit', 'q=a&limit=51', 'q=a&limit=0'],
      ['page', 'q=a&page=0', 'q=a&page=101', 'q=a&page=21&limit=50'],
      ['search', 'q=a&search=b'],
      ['domain', 'q=a&domain=A'],
      ['difficulty', 'q=a&difficulty=easy'],
      ['max_tokens', 'q=a&max_tokens=0'],
    ]),
  )('refuses ?%s with the parameter %s, free of charge', async (query, parameter) => {
    const { key } = await api.addCustomer('free', 1)
    const { status, json } = await find(api, query, key)
    expect([status, json.errors.map((error) => error.parameter)]).toEqual([400, [parameter]])
    expect((await find(api, `q=${encodeURIComponent('漢'.repeat(400))}`, key)).status).toBe(200)
  })

  it('has a weak tag of query, tier and catalog; 304 is free of charge', async () => {
    const { key } = await api.addCustomer('pro', 2)
    const first = await find(api, 'q=redis', key)
    expect(first.headers.etag).toMatch(/^W\/"/)
    expect(first.headers['cache-control']).toBe('private, no-cache')
    const known = { 'if-none-match': first.headers.etag! }
    expect((await find(api, 'q=%20redis&limit=10&page=1', key, known)).status).toBe(304)
    expect((await find(api, 'q=bread', key, known)).status).toBe(200)
    expect((await find(api, 'q=redis', api.free.key, known)).status).toBe(200)
    expect((await find(api, 'q=bread', key)).json.code).toBe('quota_exceeded')
  })

  it.each([
    'redis AND bread',
    'redis OR NOT',
    'NEAR(redis bread, 3)',
    'NEAR(',
    '"redis',
    '"""',
    "'; drop table packs; --",
    '* * *',
    '*'.repeat(400),
    '%'.repeat(400),
    'red*',
    'title:redis',
    '{redis bread}:x',
    '^redis + bread',
    'redis & !bread | (x <-> y):*',
    '()()((',
    '\\',
    '-redis',
    '🙂🙂',
    '漢'.repeat(400),
    'リ'.repeat(400),
    'a '.repeat(199),
    '\u{10ffff}\u202e\ufeffx',
    'e\u0301'.repeat(200),
    '$1 ? :name @x',
  ])('takes %s as words', async (q) => {
    expect((await find(api, `q=${encodeURIComponent(q)}`)).status).toBe(200)
    expect(api.log).toEqual([])
  })

  it('finds words among operators of query languages', async () => {
    for (const q of ['NEAR(sourdough bread)', 'sourdough AND', '(sourdough', '^sourdough*', 'sourdough & !'])
      expect([q, nameHits(await ask(api, q))[0]?.[0]]).toEqual([q, 'bread'])
  })
})

describeDatabases('a catalog with a damaged or old index in %s', (database, kind) => {
  let api: TestApi

  async function start(...damage: readonly string[]): Promise<Catalog> {
    const url = await database.createCatalog()
    const catalog = await database.open(url)
    await catalog.packs.commit(versions.slice(0, 3))
    for (const statement of damage) await database.run(url, statement)
    api = await startApi({ catalog })
    return catalog
  }

  it.each([
    'drop table search_terms',
    // Postgres refuses damaged vectors, because its index reads them.
    ...(kind === 'SQLite'
      ? ['drop table search_postings', `update search_entries set vector = x'ff'`]
      : ['drop function search_any_term']),
    'drop table search_entries',
    'drop table search_state',
  ])('is 503 after: %s', async (damage) => {
    await start(damage)
    const { status, json } = await find(api, `q=${encodeURIComponent('"practice" redis?')}`)
    expect([status, json.code]).toEqual([503, 'service_unavailable'])
    expect(api.log.join()).not.toContain('practice')
  })

  it('answers with damaged counts', async () => {
    await start('update search_terms set sections = -7')
    expect((await find(api, 'q=redis')).status).toBe(200)
  })

  it('keeps the hit of a damaged pack without a snippet, and names it', async () => {
    const garbage = kind === 'SQLite' ? `cast('garbage' as blob)` : `'garbage'::bytea`
    await start(`update versions set document = ${garbage} where sequence = 1; delete from section_texts`)
    const { data, meta } = await ask(api, 'key expiration')
    expect(data[0]).toMatchObject({ section: { id: 'key-expiration' }, snippet: null })
    expect(meta).toMatchObject({ damaged: [{ slug: 'redis', version: '1.0.0' }] })
    expect(api.log.join()).toContain('"code":"damaged_pack","damaged":["redis@1.0.0"]')
    for (const path of ['/packs/redis/sections/eviction', '/packs/redis/versions/1.0.0/sections/eviction']) {
      const { status, json } = await api.request(`/api/v1${path}`, { key: api.pro.key })
      expect([status, json.code]).toEqual([500, 'damaged_pack'])
    }
    expect((await api.request('/api/v1/packs/redis/sections', { key: api.free.key })).status).toBe(200)
  })
})
