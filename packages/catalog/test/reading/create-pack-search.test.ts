import { describe, expect, it, onTestFinished } from 'vitest'
import {
  createPackSearch,
  createReader,
  type Catalog,
  type PackSearch,
  type PackSearchPage,
} from '@packs/catalog'
import { makeVersion } from '../../../test-kit/test/make-version.ts'
import { startSqliteTests } from '../../../test-kit/test/test-database.ts'

const database = await startSqliteTests()

interface Started {
  readonly catalog: Catalog
  readonly packSearch: PackSearch
  readonly run: (sql: string) => Promise<void>
}

/** Starts a search of 12 packs. */
async function start(): Promise<Started> {
  const url = await database.createCatalog()
  const catalog = await database.open(url)
  const slugs = Array.from({ length: 12 }, (_, at) => `garden-${String(at).padStart(2, '0')}`)
  await catalog.packs.commit(
    slugs.map((slug) =>
      makeVersion({ slug, title: slug, content: `# Garden\n\nAbout the garden ${slug}.\n` }),
    ),
  )
  const reader = createReader(catalog, 60_000)
  onTestFinished(() => reader.close())
  return {
    catalog,
    packSearch: createPackSearch(catalog, reader.accounts.sections),
    run: (sql) => database.run(url, sql),
  }
}

const find = ({ packSearch }: Started, text: string, offset = 0, limit = 5): Promise<PackSearchPage> =>
  packSearch.search({ text, limit, offset }, 'full')
const listSlugs = ({ hits }: PackSearchPage): string[] => hits.map(({ pack }) => pack.slug)

it('says that the index is damaged, without words of the query', async () => {
  const started = await start()
  await started.run(`update search_entries set vector = x'ff'`)
  const error: unknown = await find(started, 'garden 07').catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'catalog_unavailable', hint: expect.stringContaining('pack index') })
  expect(JSON.stringify(error)).not.toContain('garden')
  await started.catalog.search.rebuild()
  expect(listSlugs(await find(started, 'garden 07'))[0]).toBe('garden-07')
})

describe('searches of readers of previews', () => {
  const query = { text: 'garden', limit: 5, offset: 0 }

  it('are answered once for a query until the catalog changes', async () => {
    const { catalog } = await start()
    const reader = createReader(catalog, 60_000)
    onTestFinished(() => reader.close())
    const { sections } = reader.accounts
    const asked: string[] = []
    const search: typeof sections.search = (asking) => {
      asked.push(`${asking.scope} ${asking.text} ${asking.offset} ${asking.domain ?? ''}`)
      return sections.search(asking)
    }
    const packSearch = createPackSearch(catalog, { ...sections, for: () => ({ ...sections, search }) })
    const first = await packSearch.search(query, 'preview')
    expect(await packSearch.search(query, 'preview')).toEqual(first)
    expect(asked).toEqual(['preview garden 0 '])
    await packSearch.search({ ...query, offset: 5 }, 'preview')
    await packSearch.search({ ...query, domain: 'security' }, 'preview')
    for (let count = 0; count < 2; count++) await packSearch.search(query, 'full')
    expect(asked.slice(1)).toEqual([
      'preview garden 5 ',
      'preview garden 0 security',
      'full garden 0 ',
      'full garden 0 ',
    ])
    await catalog.packs.commit([makeVersion({ slug: 'new', title: 'Garden', content: '# Garden\n' })])
    const { hits } = await packSearch.search(query, 'preview')
    expect([hits[0]?.pack.slug, asked.length]).toEqual(['new', 6])
  })

  it('of one network are refused before those of others', async () => {
    const { catalog } = await start()
    const reader = createReader(catalog, 60_000)
    onTestFinished(() => reader.close())
    const packSearch = createPackSearch(catalog, reader.accounts.sections)
    const search = (owner: string, number: number): Promise<unknown> =>
      packSearch.search({ ...query, offset: number }, 'preview', owner).then(
        () => owner,
        (error: { code?: string }) => error.code,
      )
    const own = Array.from({ length: 9 }, (_, number) => search('192.0.2.1', number))
    const codes = await Promise.all([...own, search('192.0.2.2', 1)])
    expect(codes.filter((code) => code === 'too_many_at_once')).toHaveLength(1)
    expect(codes.at(-1)).toBe('192.0.2.2')
  })

  it('read the index in a thread', async () => {
    const { catalog } = await start()
    const store = new Proxy(catalog.search.store(), {
      get: () => () => Promise.reject(new Error('The index was read in this thread')),
    })
    const here = { ...catalog, search: { ...catalog.search, store: () => store } }
    const reader = createReader(here, 60_000)
    onTestFinished(() => reader.close())
    const page = await createPackSearch(here, reader.accounts.sections).search(query, 'preview')
    expect(page.total).toBe(24)
  })
})

it.each(['', ' \n', 'a'.repeat(401), '"a" "b" “c” "d" "e"'])(
  'a text that is no query is an error: %j',
  async (text) => {
    const started = await start()
    await expect(find(started, text)).rejects.toBeInstanceOf(RangeError)
  },
)
