import { describe, expect, it } from 'vitest'
import type { CatalogContext } from '../catalog-context.ts'
import { makeVersion, actor } from '../../../test-kit/test/make-version.ts'
import { makeSearchPacks, searchStore } from '../search-packs.ts'

/** SQL that tampers with the index of `pack-1`, and what an audit must report. */
const TAMPERS: readonly (readonly [sql: string, found: readonly string[]])[] = [
  [`delete from search_entries where pack = 2 and ordinal = 1`, ['search_entries.ordinal']],
  [`update search_entries set tokens = tokens + 1 where pack = 2 and ordinal = 0`, ['search_entries.tokens']],
  [
    `update search_entries set vector = (select e.vector from search_entries e where e.pack = 1 and e.ordinal = 0)
      where pack = 2 and ordinal = 0`,
    ['search_entries.vector'],
  ],
  [`update outlines set data = replace(data, '[1,', '[2,') where sequence = 2`, ['outlines.data']],
  [`delete from outlines where sequence = 2`, ['outlines.data']],
  [`delete from section_texts where sequence = 2 and ordinal = 0`, ['section_texts.text']],
  [
    `update section_texts set text = (select t.text from section_texts t where t.sequence = 1 and t.ordinal = 0)
      where sequence = 2 and ordinal = 0`,
    ['section_texts.text'],
  ],
  [`delete from search_terms where term = 'typescript'`, ['search_terms.term']],
]

/** The same for what entries are found by, which differs between the databases, and how to destroy it. */
const POSTINGS = {
  sqlite: {
    tamper: `delete from search_postings where rowid in (select id from search_entries where pack = 2 and ordinal = 0)`,
    found: ['search_postings.terms'],
    destroy: 'drop table search_postings',
  },
  postgres: {
    tamper: `update search_entries set filters = '{}' where pack = 2 and ordinal = 0`,
    found: ['search_entries.filters'],
    destroy: 'drop function search_any_term',
  },
} as const

/** The same for what all packs share. */
const SHARED_TAMPERS: readonly (readonly [sql: string, found: readonly string[]])[] = [
  [`update search_state set sections = sections + 1`, ['search_state.sections']],
  [`update search_state set words = words - 1`, ['search_state.words']],
  [`update search_terms set sections = sections + 1 where term = 'server'`, ['search_terms.sections']],
  [`update search_terms set entries = entries + 1 where term = 'server'`, ['search_terms.entries']],
  [`delete from search_terms where term = 'server'`, ['search_terms.id']],
  [`update search_entries set pack = 99 where pack = 2`, ['search_entries.pack', 'packs.latest']],
]

export function describeIndex(context: CatalogContext): void {
  const run = (sql: string): Promise<void> => context.database.run(context.url, sql)
  const find = async (text: string): Promise<string[]> => {
    const { hits } = await searchStore(context.catalog.search.store(), { text })
    return [...new Set(hits.map(({ pack }) => pack.slug))]
  }
  describe('SearchIndex.rebuild', () => {
    it('makes the index that commits and yanks made, and counts figures again', async () => {
      const { packs, search: index } = context.catalog
      await packs.commit(makeSearchPacks(7))
      await packs.commit([makeVersion({ slug: 'pack-0', version: '1.1.0', parent: '1.0.0' })])
      await packs.yank('pack-1', '1.0.0', 'wrong', actor)
      const before = await find('redis')
      await run(`delete from outlines; delete from section_texts; delete from search_terms;
        update versions set lead = 'x'`)
      const seen: string[] = []
      const found = await index.rebuild((done, total) => seen.push(`${done}/${total}`))
      expect(found).toEqual({ packs: 6, versions: 8, skipped: [] })
      expect(seen.at(-1)).toBe('8/8')
      expect([await find('redis'), await index.examineTotals()]).toEqual([before, []])
      for (const [slug, version] of [
        ['pack-0', '1.0.0'],
        ['pack-0', '1.1.0'],
        ['pack-1', '1.0.0'],
      ] as const)
        expect(await index.examine(slug, version)).toEqual([])
      expect(await packs.list({ limit: 9, offset: 0, search: 'connect' })).toMatchObject({ total: 1 })
    })

    it('skips a damaged version and names it', async () => {
      const { packs, search: index } = context.catalog
      await packs.commit(makeSearchPacks(3))
      await run(
        `update versions set summary = replace(summary, 'About servers', 'About it') where sequence = 2`,
      )
      const reason = expect.stringContaining('differs') as string
      expect(await index.rebuild()).toEqual({
        packs: 2,
        versions: 3,
        skipped: [{ slug: 'pack-1', version: '1.0.0', sequence: 2, reason }],
      })
    })

    it('that does not end leaves the index as it was', async () => {
      const { packs, search: index } = context.catalog
      await packs.commit(makeSearchPacks(3))
      const before = await find('redis')
      const stop = (): never => {
        throw new Error('stopped')
      }
      await expect(index.rebuild(stop)).rejects.toThrow('stopped')
      expect([await find('redis'), await index.examineTotals()]).toEqual([before, []])
    })
  })

  describe('a search index of another analysis', () => {
    it('is refused, until it is rebuilt', async () => {
      const { catalog, database, url } = context
      const [first, second] = makeSearchPacks(2)
      await catalog.packs.commit([first!])
      await run(`update search_state set format = 1`)
      const refused = {
        code: 'schema_too_old',
        message: expect.stringContaining('made by analysis 1') as string,
        hint: expect.stringContaining('`pack index`') as string,
      }
      for (const readOnly of [false, true])
        await expect(database.open(url, { readOnly })).rejects.toMatchObject(refused)
      await expect(catalog.packs.commit([second!])).rejects.toMatchObject(refused)
      expect(await catalog.sequence()).toBe(1)
      const opened = await database.open(url, { anyIndex: true })
      expect(await opened.search.rebuild()).toMatchObject({ packs: 1 })
      expect(await catalog.packs.commit([second!])).toMatchObject([{ sequence: 2 }])
      await database.open(url)
    })
  })

  describe('a damaged search index', () => {
    it.each([
      'drop table search_entries',
      'drop table search_terms',
      'drop table search_state',
      'drop table outlines',
      'drop table section_texts',
      `update search_state set next_entry = 1`,
    ])('lets a commit fail as a whole after %s, until it is rebuilt', async (sql) => {
      const { packs, search: index } = context.catalog
      const [first, second, third, fourth] = makeSearchPacks(4)
      await packs.commit([first!, second!, third!])
      await run(sql)
      await expect(packs.commit([fourth!])).rejects.toMatchObject({ code: 'catalog_unavailable' })
      expect(await packs.latest('pack-3')).toBeUndefined()
      expect(await index.rebuild()).toMatchObject({ packs: 3, skipped: [] })
      expect(await packs.commit([fourth!])).toMatchObject([{ status: 'published', sequence: 4 }])
      expect([await index.explainDamage(), await index.examineTotals()]).toEqual([undefined, []])
      expect(await find('postgres')).toEqual(['pack-2'])
    })

    it('keeps programs from starting without its state, and names `pack index`', async () => {
      const { database, url } = context
      await run('drop table search_state')
      await expect(database.open(url)).rejects.toMatchObject({
        code: 'catalog_unavailable',
        message: 'The search index is damaged',
        hint: expect.stringContaining('`pack index`') as string,
      })
    })

    it('is told with the reason', async () => {
      await context.catalog.packs.commit(makeSearchPacks(1))
      const { destroy } = POSTINGS[context.catalog.database.type]
      await run(destroy)
      expect(await context.catalog.search.explainDamage()).toContain(destroy.split(' ').at(-1))
    })
  })

  describe('SearchIndex.texts', () => {
    const [, section, more] = ['Intro.\n\n', '# One\n\nFirst.\n\n', '# Two\n\nSecond.\n']
    const content = `Intro.\n\n${section}${more}`
    const read = async (sequence: number, ordinals: readonly number[]) => {
      const texts = await context.catalog.search.texts(sequence, ordinals)
      return texts && [...texts.values()]
    }

    it('returns the texts of the latest version, which replace those before', async () => {
      const { packs } = context.catalog
      await packs.commit([makeVersion({ slug: 'a', content }), makeVersion({ slug: 'b', content })])
      expect(await read(1, [1, 2])).toEqual([section, more])
      await packs.commit([makeVersion({ slug: 'a', version: '1.1.0', parent: '1.0.0', content: '# New\n' })])
      expect([await read(1, [1]), await read(2, [1]), await read(3, [0])]).toEqual([
        undefined,
        [section],
        ['# New\n'],
      ])
      await packs.yank('a', '1.1.0', 'wrong', actor)
      expect([await read(1, [1]), await read(3, [0])]).toEqual([[section], undefined])
    })

    it.each([
      ['a missing text', 'delete from section_texts where ordinal = 1'],
      ['a damaged text', 'update section_texts set text = sha256 where ordinal = 1'],
      ['a missing table', 'drop table section_texts'],
    ])('returns nothing for %s', async (_, sql) => {
      await context.catalog.packs.commit([makeVersion({ slug: 'a', content })])
      await run(sql)
      expect(await read(1, [0, 1])).toBeUndefined()
      expect(await read(1, [])).toEqual([])
    })

    it('holds no text that UTF-8 cannot hold', async () => {
      const { packs, search: index } = context.catalog
      await packs.commit([makeVersion({ slug: 'a', content: `${section}# Half \ud83d\n` })])
      expect([await read(1, [0]), await read(1, [1])]).toEqual([[section], undefined])
      expect(await index.examine('a', '1.0.0')).toEqual([])
    })

    it('has none of an empty pack', async () => {
      const { packs, search: index } = context.catalog
      await packs.commit([makeVersion({ slug: 'a', content: '' }), makeVersion({ slug: 'b', content })])
      expect(await index.examine('a', '1.0.0')).toEqual([])
    })
  })

  describe('SearchIndex.audit', () => {
    it.each(TAMPERS)('finds %s', async (sql, found) => {
      const { packs, search: index } = context.catalog
      await packs.commit(makeSearchPacks(3))
      expect(await index.examine('pack-1', '1.0.0')).toEqual([])
      await run(sql)
      expect(await index.examine('pack-1', '1.0.0')).toEqual(found)
    })

    it('finds changed postings', async () => {
      const { packs, search: index, database } = context.catalog
      await packs.commit(makeSearchPacks(3))
      await run(POSTINGS[database.type].tamper)
      expect(await index.examine('pack-1', '1.0.0')).toEqual(POSTINGS[database.type].found)
    })

    it.each(SHARED_TAMPERS)('finds in the totals %s', async (sql, found) => {
      const { packs, search: index } = context.catalog
      await packs.commit(makeSearchPacks(3))
      expect(await index.examineTotals()).toEqual([])
      await run(sql)
      expect(await index.examineTotals()).toEqual(found)
    })

    it('says nothing of unknown versions', async () => {
      expect(await context.catalog.search.examine('tls', '1.0.0')).toEqual([])
    })
  })
}
