import { openDocument, type CatalogError } from '@packs/catalog'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/database/open-database.ts'
import type { CatalogContext } from '../catalog-context.ts'
import { makeVersion } from '../../../test-kit/test/make-version.ts'

export function describeFaults(context: CatalogContext): void {
  describe('migrations and failures', () => {
    it('migrates once if several processes start together', async () => {
      const { database } = context
      const url = await database.create()
      const catalogs = await Promise.all(Array.from({ length: 6 }, () => database.open(url)))
      const [first] = await catalogs[0]!.packs.commit([makeVersion({ slug: 'tls' })])
      expect(first).toMatchObject({ status: 'published', sequence: 1 })
      expect(await catalogs[5]!.packs.latest('tls')).toMatchObject({ version: '1.0.0' })
    })

    it('rejects a database with a newer schema', async () => {
      const { database, url } = context
      await database.run(url, `insert into migrations (name, timestamp) values ('9999-later', '2030-01-01')`)
      const error: unknown = await database.open(url).catch((reason: unknown) => reason)
      expect(error).toMatchObject({ code: 'schema_too_new', hint: expect.stringContaining('newest version') })
      expect((error as CatalogError).message).toContain('9999-later')
    })

    it('opens a migrated database read-only, and rejects an older one', async () => {
      const { database, url, catalog } = context
      await catalog.packs.commit([makeVersion({ slug: 'tls' })])
      const reader = await database.open(url, { readOnly: true })
      expect(await reader.packs.latest('tls')).toMatchObject({ version: '1.0.0' })
      await database.run(url, `delete from migrations where name = '0001-catalog'`)
      await expect(database.open(url, { readOnly: true })).rejects.toMatchObject({
        code: 'catalog_unavailable',
        message: expect.stringContaining('it lacks the step 0001-catalog'),
        hint: expect.stringContaining('pack serve'),
      })
    })

    it('refuses a database of 0.3, and changes nothing in it', async () => {
      const { database } = context
      const url = await database.create()
      const describeTables = async (): Promise<unknown> => {
        const opened = await openDatabase({ url, now: () => new Date(), lockTimeout: 1000, readOnly: false })
        const tables = await opened.queries.introspection.getTables()
        const rows = await sql`select * from catalog_migrations, packs`.execute(opened.queries)
        await opened.close()
        return JSON.stringify([tables, rows.rows])
      }
      // It creates the file.
      await (await openDatabase({ url, now: () => new Date(), lockTimeout: 1000, readOnly: false })).close()
      await database.run(
        url,
        `create table catalog_migrations (name text primary key, applied_at text not null, older_may_continue integer not null default 0);
        create table packs (number integer primary key, id text not null unique, slug text not null unique, indexed integer);
        insert into catalog_migrations values ('0001-catalog', '2026-01-01T00:00:00.000Z', 0);
        insert into packs values (1, 'pk_a', 'a', 1)`,
      )
      const before = await describeTables()
      for (const readOnly of [false, true])
        await expect(database.open(url, { readOnly })).rejects.toMatchObject({
          code: 'schema_too_old',
          message: expect.stringContaining('a database of Packs 0.3 or older'),
          hint: expect.stringContaining('publish the sources into it'),
        })
      expect(await describeTables()).toEqual(before)
    })

    it('gives up waiting for a lock while readers continue, and works after its release', async () => {
      const { database, url } = context
      const catalog = await database.open(url, { lockTimeout: 2000 })
      await catalog.packs.commit([makeVersion({ slug: 'tls' })])
      const unlock = await database.lock(url)
      const commit = catalog.packs.commit([makeVersion({ slug: 'ssh' })])
      expect(await catalog.packs.latest('tls')).toMatchObject({ version: '1.0.0' })
      const error: unknown = await commit.catch((reason: unknown) => reason)
      expect(error).toMatchObject({ code: 'catalog_unavailable', hint: expect.stringContaining('try again') })
      expect((error as CatalogError).message).toMatch(/lock for too long$/)
      await unlock()
      expect(await catalog.packs.commit([makeVersion({ slug: 'ssh' })])).toMatchObject([{ sequence: 2 }])
    })

    it('counts requests during a commit of another process', async () => {
      const { catalog, database, url } = context
      const unlock = await database.lock(url)
      expect(await catalog.quota.grant('ac_ada', '2026-03-01', 10, 3)).toEqual({ granted: 3, used: 3 })
      await unlock()
    })

    it('reports a missing table as damage', async () => {
      const { catalog, database, url } = context
      await database.run(url, 'drop table jobs')
      await expect(catalog.jobs.list(1)).rejects.toMatchObject({
        code: 'catalog_unavailable',
        message: 'The database cannot answer: it is damaged: a table or column is missing',
        hint: expect.stringContaining('restore a backup'),
      })
    })

    it('passes programming errors on unchanged', async () => {
      const { packs } = context.catalog
      const { pack, ...rest } = makeVersion({ slug: 'tls' })
      await expect(packs.commit([{ ...rest, pack: { ...pack, version: 'one' } }])).rejects.toThrow(TypeError)
    })

    it('names the pack whose newest or latest version is missing', async () => {
      const { catalog, database, url } = context
      await catalog.packs.commit([makeVersion({ slug: 'tls' }), makeVersion({ slug: 'ssh' })])
      const damaged = (column: string): object => ({
        code: 'catalog_damaged',
        message: `The catalog is damaged: packs.${column} of tls refers to a missing version`,
        hint: expect.stringContaining('Restore a backup'),
      })
      await database.run(url, `update packs set head = 99, latest = 99 where slug = 'tls'`)
      await expect(catalog.packs.head('tls')).rejects.toMatchObject(damaged('head'))
      const next = makeVersion({ slug: 'tls', version: '1.1.0', parent: '1.0.0' })
      await expect(catalog.packs.commit([makeVersion({ slug: 'new' }), next])).rejects.toMatchObject(
        damaged('head'),
      )
      await expect(catalog.packs.latest('tls')).rejects.toMatchObject(damaged('latest'))
      expect(await catalog.packs.latest('new')).toBeUndefined()
      expect(await catalog.packs.latest('ssh')).toMatchObject({ version: '1.0.0' })
      expect(await catalog.sequence()).toBe(2)
    })

    it('names the column and the row that cannot be read', async () => {
      const { catalog, database, url } = context
      await catalog.packs.commit([makeVersion({ slug: 'tls' })])
      for (const damage of ['{}', 'garbage']) {
        await database.run(url, `update versions set provenance = '${damage}'`)
        await expect(catalog.packs.provenance('tls', '1.0.0')).rejects.toMatchObject({
          code: 'catalog_damaged',
          message: 'The catalog is damaged: versions.provenance cannot be read in the row of sequence 1',
        })
      }
      await database.run(url, `update versions set summary = 'garbage'`)
      await expect(catalog.packs.latest('tls')).rejects.toMatchObject({
        code: 'catalog_damaged',
        message: 'The catalog is damaged: versions.summary cannot be read in the row of sequence 1',
        damaged: { slug: 'tls', version: '1.0.0' },
      })
    })

    it.each([
      `update versions set summary = 'garbage' where sequence = 2`,
      `update versions set summary = '{}' where sequence = 2`,
      `update versions set summary = '' where sequence = 2`,
      `update versions set summary = replace(summary, '"slug":"b"', '"slug":"c"') where sequence = 2`,
      `update versions set summary = replace(summary, '"token_count":5', '"token_count":"5"') where sequence = 2`,
      `update versions set summary = replace(summary, '"tags":["x"]', '"tags":[]') where sequence = 2`,
      `update versions set summary = replace(summary, '"tags":["x"]', '"tags":"x"') where sequence = 2`,
      `update versions set summary = replace(summary, '"description":"d"', '"description":7') where sequence = 2`,
      `update versions set published_at = 'yesterday' where sequence = 2`,
      `update packs set updated_at = '' where slug = 'b'`,
    ])('names the version that a list or page of changes lacks after %s', async (sql) => {
      const { catalog, database, url } = context
      await catalog.packs.commit(
        ['a', 'b', 'c'].map((slug) => makeVersion({ slug, description: 'd', tags: ['x'] })),
      )
      await database.run(url, sql)
      const damaged = [{ slug: 'b', version: '1.0.0' }]
      const list = await catalog.packs.list({ limit: 9, offset: 0 })
      expect(list).toMatchObject({ packs: [{ slug: 'a' }, { slug: 'c' }], total: 3, damaged })
      const page = await catalog.packs.changes({ after: 0, removals: true, limit: 9, maxBytes: 1e6 })
      expect(page.changes.map(({ sequence }) => sequence)).toEqual([1, 3])
      expect(page).toMatchObject({ damaged, last: 3, more: false })
      expect(await catalog.packs.versions('b')).toMatchObject([{ version: '1.0.0', sha256: null }])
      await expect(catalog.packs.find('b')).rejects.toMatchObject({ damaged: damaged[0] })
    })

    it('rejects a summary with a field that the document lacks', async () => {
      const { catalog, database, url } = context
      await catalog.packs.commit([makeVersion({ slug: 'tls' })])
      await database.run(url, `update versions set summary = replace(summary, '{', '{"tags":["x"],')`)
      const version = (await catalog.packs.read(1))!
      expect(() => openDocument(version)).toThrow(/differs from versions\.summary \(tags\)/)
    })

    it('names the pack that a list or page of changes lacks because its latest version is missing', async () => {
      const { catalog, database, url } = context
      await catalog.packs.commit(['a', 'b'].map((slug) => makeVersion({ slug })))
      await database.run(url, `update packs set latest = 99 where slug = 'a'`)
      const { packs, total, damaged } = await catalog.packs.list({ limit: 10, offset: 0 })
      expect([packs.map(({ slug }) => slug), total]).toEqual([['b'], 2])
      expect(damaged).toEqual([{ slug: 'a', version: null }])
      const page = await catalog.packs.changes({ after: 0, removals: true, limit: 9, maxBytes: 1e6 })
      expect(page).toMatchObject({ changes: [{ version: { slug: 'b' } }], damaged })
    })

    it.each([
      ['is not JSON', `document = cast('garbage' as blob)`, `document = 'garbage'::bytea`, 'cannot be read'],
      ['is empty', `document = x''`, `document = ''::bytea`, 'cannot be read'],
      [
        'is truncated',
        `document = substr(document, 1, length(document) - 9)`,
        `document = substr(document, 1, length(document) - 9)`,
        'cannot be read',
      ],
      [
        'has another text',
        `document = cast(replace(cast(document as text), '# tls', '# ssl') as blob)`,
        `document = convert_to(replace(convert_from(document, 'UTF8'), '# tls', '# ssl'), 'UTF8')`,
        'does not match its digest',
      ],
      [
        'has another title in the summary',
        `summary = replace(summary, '"title":"tls"', '"title":"ssl"')`,
        `summary = replace(summary, '"title":"tls"', '"title":"ssl"')`,
        'differs from versions.summary (title)',
      ],
    ])('rejects a document that %s', async (_what, sqlite, postgres, reason) => {
      const { catalog, database, url } = context
      await catalog.packs.commit([makeVersion({ slug: 'tls', metadata: { weight: 1 } })])
      const version = (await catalog.packs.read(1))!
      expect(openDocument(version)).toMatchObject({ slug: 'tls', content: '# tls 1.0.0\n' })
      await database.run(url, `update versions set ${url.startsWith('postgres') ? postgres : sqlite}`)
      const damaged = (await catalog.packs.read(1))!
      expect(() => openDocument(damaged)).toThrow(
        expect.objectContaining({
          code: 'catalog_damaged',
          message: `The catalog is damaged: versions.document ${reason} in the row of sequence 1`,
          damaged: { slug: 'tls', version: '1.0.0' },
        }),
      )
    })
  })
}
