import { loadTokenizer } from '@packs/codec/compress'
import { derivePackId } from '@packs/codec/internal'
import { outlineSections } from '@packs/codec/sections'
import type { EntryRow, SearchStore } from '@packs/search'
import { describe, expect, it } from 'vitest'
import type { CatalogContext } from '../catalog-context.ts'
import { makeVersion, actor } from '../../../test-kit/test/make-version.ts'
import { createComposer, createReference, makeSearchPacks, searchStore } from '../search-packs.ts'

const QUERIES = [
  'redis persistence',
  'redis persistance',
  'strict null checks',
  'strictnullchecks',
  '--no-cache',
  'lru eviction',
  'how do I choose an eviction policy',
  'リアクティブ',
  '統計学',
  '"connection pools"',
  'kubernetes rollback',
  'pack-3',
  'NEAR(a b) OR t1 AND "',
  'snapshot -disk term:t1*',
] as const

export function describeSearch(context: CatalogContext): void {
  describe('SearchIndex.store', () => {
    it('answers like the store in memory', async () => {
      const versions = makeSearchPacks(30)
      await context.catalog.packs.commit(versions)
      const store = context.catalog.search.store()
      const reference = await createReference(versions)
      for (const ask of await listQuestions(reference)) expect(await ask(store)).toEqual(await ask(reference))
    })

    it('gives the same passages, byte for byte, as the store in memory', async () => {
      const versions = makeSearchPacks(30)
      await context.catalog.packs.commit(versions)
      const [compose, reference] = [await createComposer(versions), await createReference(versions)]
      const ids = versions.slice(3, 6).map(({ pack }) => pack.id)
      for (const text of QUERIES)
        for (const options of [{}, { budget: 250 }, { domain: 'databases' }, { packs: ['pack-9', ...ids] }]) {
          const found = await compose(context.catalog.search.store(), text, options)
          expect([text, options, found]).toEqual([text, options, await compose(reference, text, options)])
        }
    })

    it('stores words that a database could mistake for something else', async () => {
      const words = ['𐐷'.repeat(40), 'a\u0301', '\u{10FFFD}', 'x\0y', '\uD800z', 'ﷺ', '🙂', 'ſ', 'İstanbul']
      const version = makeVersion({
        slug: 'odd',
        title: 'Odd words',
        content: `# Odd\n\n${words.join(' ')}\n`,
      })
      await context.catalog.packs.commit([version])
      expect(await context.catalog.search.examine('odd', '1.0.0')).toEqual([])
      for (const text of words) await searchStore(context.catalog.search.store(), { text })
      expect(await findSlugs('istanbul')).toEqual(['odd'])
    })
  })

  describe('SearchIndex after changes', () => {
    it('holds the latest version, through commits, yanks and undone yanks', async () => {
      const { packs } = context.catalog
      await packs.commit([
        makeVersion({ slug: 'tls', content: '# TLS\n\nhandshake\n' }),
        makeVersion({ slug: 'ssh', content: '# SSH\n\nshell\n' }),
      ])
      expect(await findSlugs('handshake')).toEqual(['tls'])
      await packs.commit([
        makeVersion({ slug: 'tls', version: '1.1.0', parent: '1.0.0', content: '# TLS\n\ncertificate\n' }),
      ])
      expect([await findSlugs('handshake'), await findSlugs('certificate')]).toEqual([[], ['tls']])
      await packs.yank('tls', '1.1.0', 'wrong', actor)
      expect([await findSlugs('handshake'), await findSlugs('certificate')]).toEqual([['tls'], []])
      await packs.yank('tls', '1.0.0', 'wrong', actor)
      expect([await findSlugs('handshake'), await findSlugs('tls'), await findSlugs('shell')]).toEqual([
        [],
        [],
        ['ssh'],
      ])
      await packs.undoYank('tls', '1.1.0', actor)
      expect(await findSlugs('certificate')).toEqual(['tls'])
      await packs.undoYank('tls', '1.0.0', actor)
      expect([await findSlugs('handshake'), await findSlugs('certificate')]).toEqual([[], ['tls']])
      expect(await context.catalog.search.examineTotals()).toEqual([])
      expect(await context.catalog.search.examine('tls', '1.1.0')).toEqual([])
    })

    it('answers like a new catalog once all changes are undone or replaced', async () => {
      const { packs, search: index } = context.catalog
      const versions = makeSearchPacks(6)
      await packs.commit(versions)
      await packs.commit([
        makeVersion({
          slug: 'pack-2',
          version: '2.0.0',
          parent: '1.0.0',
          domain_slug: 'languages',
          content: '# Otherwise\n\nzebra\n',
        }),
      ])
      await packs.yank('pack-2', '2.0.0', 'wrong', actor)
      const reference = await createReference(versions)
      expect(await index.store().readTotals()).toEqual(await reference.readTotals())
      expect(await index.store().findTerms(['zebra'])).toEqual([])
      const describeTerms = async (store: SearchStore): Promise<unknown> =>
        new Set(
          (await store.listTerms('', 10_000))
            .filter(({ text }) => !/^(?:title|pack|section):/.test(text))
            .map(({ text, sections, words }) => [text, sections, words].join(' ')),
        )
      expect(await describeTerms(index.store())).toEqual(await describeTerms(reference))
    })

    it('no longer finds a pack by an earlier domain', async () => {
      const { packs } = context.catalog
      await packs.commit([makeVersion({ slug: 'tls', domain_slug: 'network' })])
      await packs.commit([
        makeVersion({ slug: 'tls', version: '1.1.0', parent: '1.0.0', domain_slug: 'security' }),
      ])
      expect([await findSlugs('tls', 'network'), await findSlugs('tls', 'security')]).toEqual([[], ['tls']])
    })

    it('holds a large release, and several versions of one pack in it', async () => {
      const versions = makeSearchPacks(230)
      const next = makeVersion({
        slug: 'pack-7',
        version: '1.1.0',
        parent: '1.0.0',
        content: '# Seven\n\nxylophone\n',
      })
      await context.catalog.packs.commit([...versions, next])
      expect(await findSlugs('xylophone')).toEqual(['pack-7'])
      expect(await context.catalog.search.examineTotals()).toEqual([])
    })
  })

  describe('SearchIndex.outline', () => {
    it('gives the sections of each version', async () => {
      const [version] = makeSearchPacks(1)
      await context.catalog.packs.commit([version!])
      const expected = outlineSections(version!.pack.content, await loadTokenizer('o200k_base'))
      expect(await context.catalog.search.outline(1)).toEqual({ preview: 0, sections: expected })
      expect(await context.catalog.search.outline(2)).toBeUndefined()
    })

    it.each([`delete from outlines`, `update outlines set data = '[0,[[9]]]'`, `drop table outlines`])(
      'derives them after %s',
      async (sql) => {
        await context.catalog.packs.commit(makeSearchPacks(1))
        const before = await context.catalog.search.outline(1)
        await context.database.run(context.url, sql)
        expect(await context.catalog.search.outline(1)).toEqual(before)
      },
    )

    it('names a damaged version', async () => {
      await context.catalog.packs.commit(makeSearchPacks(1))
      await context.database.run(
        context.url,
        `delete from outlines; update versions set summary = replace(summary, 'About servers', 'About it')`,
      )
      await expect(context.catalog.search.outline(1)).rejects.toMatchObject({
        code: 'catalog_damaged',
        damaged: { slug: 'pack-0', version: '1.0.0' },
      })
    })
  })

  async function findSlugs(text: string, domain?: string): Promise<string[]> {
    const { hits } = await searchStore(context.catalog.search.store(), { text, domain })
    return [...new Set(hits.map(({ pack }) => pack.slug))]
  }
}

type Question = (store: SearchStore) => Promise<unknown>

/** Lists calls of every method of a store. */
async function listQuestions(reference: SearchStore): Promise<Question[]> {
  const texts = ['redi', 'evict', 'connect', 'pool', 'domain:databases', '統計', 'nothing', '\0', '\uD800']
  const terms = (await reference.findTerms(texts)).map(({ id }) => id)
  const [redis = 0, evict = 0, connect = 0, pool = 0, databases = 0] = terms
  const lists = [
    [[redis]],
    [
      [redis, evict],
      [connect, pool],
    ],
    [[redis], [evict], [-connect], [pool, -redis]],
    [[]],
    [],
    [[0]],
  ]
  const queries = lists.flatMap((any) =>
    [[], [databases]].flatMap((filters) =>
      [undefined, 30].flatMap((maxTokens) => [3, 500].map((limit) => ({ any, filters, maxTokens, limit }))),
    ),
  )
  const byId = (a: { id: number }, b: { id: number }): number => a.id - b.id
  return [
    (store) => store.readTotals(),
    async (store) => (await store.findTerms(texts)).toSorted(byId),
    ...['', 're', 'con', 'コ', '統', '%', 'zzz'].map(
      (prefix): Question =>
        (store) =>
          store.listTerms(prefix, 20),
    ),
    ...queries.map((query): Question => async (store) => [
      query,
      (await store.findEntries(query)).map(describeRow),
    ]),
    async (store) => (await store.readEntries([4, 2, 99], 3)).map(describeRow),
    async (store) => (await store.readEntries([], 3)).map(describeRow),
    (store) => store.readPacks([3, 1, 99, 2]),
    (store) => store.readPacks([]),
    (store) => store.findPacks(['pack-4', derivePackId('pack-2'), 'pack-4', 'unknown', "' or 1=1"]),
    (store) => store.findPacks([]),
  ]
}

function describeRow({ vector, ...row }: EntryRow): unknown {
  return { ...row, vector: Buffer.from(vector).toString('hex') }
}
