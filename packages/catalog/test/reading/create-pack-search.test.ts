import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  createPackSearch,
  createReader,
  type Catalog,
  type PackSearch,
  type PackSearchPage,
} from '@packs/catalog'
import { makeVersion } from '../make-version.ts'
import { startSqliteTests, type TestDatabase } from '../test-database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await startSqliteTests()
})
afterAll(async () => {
  await database.closeAll()
  await database.stop()
})

interface Started {
  readonly catalog: Catalog
  readonly packSearch: PackSearch
  readonly states: () => number
  readonly setTime: (time: number) => void
  readonly run: (sql: string) => Promise<void>
}

/** Starts a search of 12 packs, with a clock that the test sets. */
async function start(): Promise<Started> {
  const url = await database.createCatalog()
  const catalog = await database.open(url)
  const slugs = Array.from({ length: 12 }, (_, at) => `garden-${String(at).padStart(2, '0')}`)
  await catalog.packs.commit(
    slugs.map((slug) =>
      makeVersion({ slug, title: slug, content: `# Garden\n\nAbout the garden ${slug}.\n` }),
    ),
  )
  let states = 0
  let time = 0
  const state: typeof catalog.search.state = () => {
    states += 1
    return catalog.search.state()
  }
  const counted = { ...catalog, search: { ...catalog.search, state } }
  const reader = createReader(counted)
  onTestFinished(() => reader.close())
  return {
    catalog,
    packSearch: createPackSearch(counted, reader.accounts.sections, () => time),
    states: () => states,
    setTime: (value) => (time = value),
    run: (sql) => database.run(url, sql),
  }
}

const find = ({ packSearch }: Started, text: string, offset = 0, limit = 5): Promise<PackSearchPage> =>
  packSearch.search({ text, limit, offset }, 'full')
const listSlugs = ({ hits }: PackSearchPage): string[] => hits.map(({ pack }) => pack.slug)

describe('the state of the index', () => {
  it('is read at most every five seconds', async () => {
    const started = await start()
    for (const time of [0, 10, 4999]) {
      started.setTime(time)
      await find(started, 'garden')
      expect(await started.packSearch.readIndex()).toBe('ready')
    }
    expect(started.states()).toBe(1)
    started.setTime(5000)
    await find(started, 'garden')
    expect(started.states()).toBe(2)
  })

  it('is read again after a search that failed', async () => {
    const started = await start()
    expect(await started.packSearch.readIndex()).toBe('ready')
    await started.run('drop table search_entries')
    const failed = await find(started, 'garden 07')
    expect([failed.index, listSlugs(failed)]).toEqual(['unavailable', ['garden-07']])
    expect(failed.reason).not.toContain('garden')
    expect(await started.packSearch.readIndex()).toBe('unavailable')
    await started.catalog.search.rebuild()
    started.setTime(5000)
    expect((await find(started, 'garden')).index).toBe('ready')
  })
})

describe('searches of readers of previews', () => {
  const query = { text: 'garden', limit: 5, offset: 0 }

  it('are answered once for a query until the catalog changes', async () => {
    const { catalog } = await start()
    const reader = createReader(catalog)
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
    const reader = createReader(catalog)
    onTestFinished(() => reader.close())
    const packSearch = createPackSearch(catalog, reader.accounts.sections)
    const search = (owner: string, number: number): Promise<unknown> =>
      packSearch.search({ ...query, offset: number }, 'preview', owner).then(
        () => owner,
        (error: { code?: string }) => error.code,
      )
    await packSearch.readIndex()
    const own = Array.from({ length: 9 }, (_, number) => search('192.0.2.1', number))
    const codes = await Promise.all([...own, search('192.0.2.2', 1)])
    expect(codes.filter((code) => code === 'search_busy')).toHaveLength(1)
    expect(codes.at(-1)).toBe('192.0.2.2')
  })

  it('read the index in a thread', async () => {
    const { catalog } = await start()
    const store = new Proxy(catalog.search.store, {
      get: () => () => Promise.reject(new Error('The index was read in this thread')),
    })
    const here = { ...catalog, search: { ...catalog.search, store } }
    const reader = createReader(here)
    onTestFinished(() => reader.close())
    const page = await createPackSearch(here, reader.accounts.sections).search(query, 'preview')
    expect([page.index, page.total]).toEqual(['ready', 24])
  })
})

describe('titles', () => {
  it('are searched page by page while there is no index', async () => {
    const started = await start()
    await started.run('drop table search_terms')
    const pages = await Promise.all([0, 5, 10, 15].map((offset) => find(started, '"garden" ?', offset)))
    expect(pages.flatMap(listSlugs)).toEqual(
      Array.from({ length: 12 }, (_, at) => `garden-${String(at).padStart(2, '0')}`),
    )
    expect(pages.map(({ total }) => total)).toEqual([12, 12, 12, 12])
    expect((await find(started, '?!')).hits).toEqual([])
    expect((await find(started, 'garden\0 07\n')).total).toBe(1)
  })

  it('with the most words are found while there is no index, if none has all', async () => {
    const started = await start()
    await started.catalog.packs.commit(
      ['Pruning roses', 'Roses', 'Watering'].map((title) =>
        makeVersion({ slug: title.toLowerCase().replaceAll(' ', '-'), title, content: `# ${title}\n` }),
      ),
    )
    await started.run('drop table search_terms')
    const found = await find(started, 'how about pruning roses')
    expect([found.index, listSlugs(found)[0]]).toEqual(['unavailable', 'pruning-roses'])
    expect(listSlugs(found)).not.toContain('watering')
  })

  it('of packs that the index lacks follow its own hits, each once', async () => {
    const started = await start()
    await started.run(`update packs set indexed = null where slug in ('garden-03', 'garden-08')`)
    await started.run(
      'delete from search_entries where pack in (select number from packs where indexed is null)',
    )
    const { total } = await find(started, 'garden')
    const seen: string[] = []
    for (let offset = 0; offset < total; offset += 5)
      seen.push(...listSlugs(await find(started, 'garden', offset)))
    expect(seen.slice(-2)).toEqual(['garden-03', 'garden-08'])
    expect(new Set(seen).size).toBe(12)
    expect((await find(started, 'garden', total)).hits).toEqual([])
  })
})

it.each(['', ' \n', 'a'.repeat(401), '"a" "b" “c” "d" "e"'])(
  'a text that is no query is an error: %j',
  async (text) => {
    const started = await start()
    await expect(find(started, text)).rejects.toBeInstanceOf(RangeError)
  },
)
