import { describe, expect, it } from 'vitest'
import type { CatalogContext } from '../catalog-context.ts'
import { makeVersion } from '../make-version.ts'
import { makeSearchPacks, searchStore } from '../search-packs.ts'
import { actor } from '../test-actor.ts'

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
  [`update search_entries set pack = 99 where pack = 2`, ['search_entries.pack', 'packs.indexed']],
]

export function describeIndex(context: CatalogContext): void {
  const run = (sql: string): Promise<void> => context.database.run(context.url, sql)
  const find = async (text: string): Promise<string[]> => {
    const { hits } = await searchStore(context.catalog.search.store, { text })
    return [...new Set(hits.map(({ pack }) => pack.slug))]
  }
  const ready = (packs: number): object => ({ status: 'ready', indexed: packs, waiting: 0 })

  describe('SearchIndex.indexWaiting', () => {
    it('indexes what an older program committed', async () => {
      const { packs, search: index } = context.catalog
      await packs.commit(makeSearchPacks(5))
      await run(`update packs set indexed = null where number = 3; delete from outlines where sequence = 3`)
      expect(await index.state()).toEqual({ status: 'building', indexed: 4, waiting: 1 })
      expect((await index.store.readPacks([3, 4])).map(({ number }) => number)).toEqual([4])
      expect(await index.indexWaiting()).toEqual({ packs: 1, outlines: 1, skipped: [] })
      expect(await index.state()).toEqual(ready(5))
      expect([...(await index.audit('pack-2', '1.0.0')), ...(await index.auditTotals())]).toEqual([])
    })

    it('removes a pack that an older program hid', async () => {
      const { packs, search: index } = context.catalog
      await packs.commit(makeSearchPacks(2))
      await packs.yank('pack-1', '1.0.0', 'wrong', actor)
      await run(`update packs set indexed = 2 where number = 2`)
      expect(await index.state()).toEqual({ status: 'building', indexed: 1, waiting: 1 })
      await index.indexWaiting()
      expect([await index.state(), await index.auditTotals()]).toEqual([ready(1), []])
    })

    it('continues after it was interrupted, and stores outlines of older versions', async () => {
      const { packs, search: index } = context.catalog
      await packs.commit(makeSearchPacks(7))
      await packs.commit([makeVersion({ slug: 'pack-0', version: '1.1.0', parent: '1.0.0' })])
      await run(`update packs set indexed = null; delete from outlines`)
      expect(await index.state()).toMatchObject({ status: 'missing', indexed: 0, waiting: 7 })
      const ending = new AbortController()
      const first = await index.indexWaiting({
        batch: 2,
        signal: ending.signal,
        onProgress: ({ packs: done }) => {
          if (done === 4) ending.abort()
        },
      })
      expect(first).toEqual({ packs: 4, outlines: 4, skipped: [] })
      expect(await index.state()).toEqual({ status: 'building', indexed: 4, waiting: 3 })
      expect(await index.indexWaiting()).toEqual({ packs: 3, outlines: 4, skipped: [] })
      expect([await index.state(), await index.auditTotals()]).toEqual([ready(7), []])
      expect(await index.indexWaiting()).toEqual({ packs: 0, outlines: 0, skipped: [] })
    })

    it('can run in several programs at once, while packs are committed', async () => {
      const { packs, search: index } = context.catalog
      const versions = makeSearchPacks(24)
      await packs.commit(versions.slice(0, 20))
      await run(`update packs set indexed = null; delete from outlines`)
      const other = await context.database.open(context.url)
      await Promise.all([
        index.indexWaiting({ batch: 3 }),
        other.search.indexWaiting({ batch: 2 }),
        packs.commit(versions.slice(20)),
        packs.yank('pack-9', '1.0.0', 'wrong', actor),
      ])
      expect([await index.state(), await index.auditTotals()]).toEqual([ready(23), []])
    })

    it('skips a damaged version and names it', async () => {
      const { packs, search: index } = context.catalog
      await packs.commit(makeSearchPacks(3))
      await run(`update packs set indexed = null; delete from outlines;
        update versions set summary = replace(summary, 'About servers', 'About it') where sequence = 2`)
      const { packs: indexed, skipped } = await index.indexWaiting()
      expect([indexed, skipped]).toEqual([
        2,
        [
          {
            slug: 'pack-1',
            version: '1.0.0',
            sequence: 2,
            reason: expect.stringContaining('differs') as string,
          },
        ],
      ])
      expect(await index.state()).toEqual({ status: 'building', indexed: 2, waiting: 1 })
    })

    it('indexes all packs again if the entries have another format', async () => {
      const { packs, search: index } = context.catalog
      await packs.commit(makeSearchPacks(3))
      await run(`update search_state set format = 99`)
      expect(await index.state()).toEqual({ status: 'missing', indexed: 0, waiting: 3 })
      expect(await find('redis')).toEqual([])
      const [, , , fourth] = makeSearchPacks(4)
      await packs.commit([fourth!])
      expect(await index.state()).toEqual({ status: 'missing', indexed: 0, waiting: 4 })
      expect(await index.indexWaiting()).toMatchObject({ packs: 4 })
      expect([await index.state(), await index.auditTotals()]).toEqual([ready(4), []])
    })
  })

  describe('a damaged search index', () => {
    it.each([
      '$destroy',
      'drop table search_entries',
      'drop table search_terms',
      'drop table search_state',
      'drop table outlines',
      'drop table section_texts',
      'delete from search_state',
      `update search_state set next_entry = 1`,
    ])('prevents no commit or yank after %s', async (sql) => {
      const { packs, search: index } = context.catalog
      const [first, second, third, fourth] = makeSearchPacks(4)
      await packs.commit([first!, second!, third!])
      await run(sql.replace('$destroy', POSTINGS[context.catalog.database.type].destroy))
      expect(await packs.commit([fourth!])).toMatchObject([{ status: 'published', sequence: 4 }])
      const next = makeVersion({ slug: 'pack-0', version: '1.1.0', parent: '1.0.0' })
      expect(await packs.commit([next])).toMatchObject([{ status: 'published', sequence: 5 }])
      await packs.yank('pack-1', '1.0.0', 'wrong', actor)
      expect(await packs.latest('pack-3')).toMatchObject({ version: '1.0.0' })
      expect(await index.state()).not.toMatchObject({ status: 'ready' })
      expect(await index.rebuild()).toMatchObject({ packs: 3, skipped: [] })
      expect([await index.state(), await index.auditTotals()]).toEqual([ready(3), []])
      expect(await find('postgres')).toEqual(['pack-2'])
    })

    it('is told with the reason', async () => {
      await context.catalog.packs.commit(makeSearchPacks(1))
      const { destroy } = POSTINGS[context.catalog.database.type]
      await run(destroy)
      expect(await context.catalog.search.state()).toEqual({
        status: 'damaged',
        indexed: 0,
        waiting: 1,
        reason: expect.stringContaining(destroy.split(' ').at(-1)!) as string,
      })
      await expect(context.catalog.search.indexWaiting()).resolves.toMatchObject({ packs: 0 })
      await context.catalog.search.rebuild()
      expect(await context.catalog.search.state()).toEqual(ready(1))
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
      expect(await index.audit('a', '1.0.0')).toEqual([])
      expect(await index.indexWaiting()).toMatchObject({ packs: 0, outlines: 0 })
    })

    it('does not wait for the texts of an empty pack', async () => {
      const { packs, search: index } = context.catalog
      await packs.commit([makeVersion({ slug: 'a', content: '' }), makeVersion({ slug: 'b', content })])
      for (let run = 0; run < 2; run++)
        expect(await index.indexWaiting()).toMatchObject({ packs: 0, outlines: 0 })
      expect(await index.audit('a', '1.0.0')).toEqual([])
    })

    it('gets what an older program did not store', async () => {
      const { packs, search: index } = context.catalog
      await packs.commit(['a', 'b', 'c', 'd', 'e'].map((slug) => makeVersion({ slug, content })))
      await packs.commit([makeVersion({ slug: 'b', version: '1.1.0', parent: '1.0.0', content })])
      await run('delete from section_texts where sequence <> 3')
      const ending = new AbortController()
      const onProgress = () => ending.abort()
      expect(await index.indexWaiting({ batch: 2, signal: ending.signal, onProgress })).toMatchObject({
        outlines: 2,
      })
      expect(await index.indexWaiting({ batch: 2 })).toMatchObject({ packs: 0, outlines: 2 })
      expect(await Promise.all([1, 2, 3, 4, 5, 6].map((sequence) => read(sequence, [1])))).toEqual([
        [section],
        undefined,
        [section],
        [section],
        [section],
        [section],
      ])
      await run('delete from section_texts')
      expect(await index.indexWaiting()).toMatchObject({ packs: 0, outlines: 5 })
    })
  })

  describe('SearchIndex.audit', () => {
    it.each(TAMPERS)('finds %s', async (sql, found) => {
      const { packs, search: index } = context.catalog
      await packs.commit(makeSearchPacks(3))
      expect(await index.audit('pack-1', '1.0.0')).toEqual([])
      await run(sql)
      expect(await index.audit('pack-1', '1.0.0')).toEqual(found)
    })

    it('finds changed postings', async () => {
      const { packs, search: index, database } = context.catalog
      await packs.commit(makeSearchPacks(3))
      await run(POSTINGS[database.type].tamper)
      expect(await index.audit('pack-1', '1.0.0')).toEqual(POSTINGS[database.type].found)
    })

    it.each(SHARED_TAMPERS)('finds in the totals %s', async (sql, found) => {
      const { packs, search: index } = context.catalog
      await packs.commit(makeSearchPacks(3))
      expect(await index.auditTotals()).toEqual([])
      await run(sql)
      expect(await index.auditTotals()).toEqual(found)
    })

    it('says nothing of unknown versions', async () => {
      expect(await context.catalog.search.audit('tls', '1.0.0')).toEqual([])
    })
  })
}
