import { digestPack, serializePack } from '@packs/codec/internal'
import { parsePack } from '@packs/codec/pack'
import { CatalogError, type Catalog, type CommitResult } from '@packs/catalog'
import { describe, expect, it } from 'vitest'
import type { CatalogContext } from '../catalog-context.ts'
import { errorCode } from '../error-code.ts'
import { makeVersion, actor } from '../../../test-kit/test/make-version.ts'

export function describeCommits(context: CatalogContext): void {
  describe('PackStore.commit', () => {
    it('stores the bytes of the document, including U+0000', async () => {
      const { packs } = context.catalog
      const version = makeVersion({ slug: 'tls', content: 'nul \0, lone \uFFFD, 統計 😀\r\n' })
      const [result] = await packs.commit([version])
      expect(result).toEqual({
        status: 'published',
        id: 'pk_pzk53jxm7egcmd4repe8rdcpre',
        slug: 'tls',
        version: '1.0.0',
        sequence: 1,
      })
      const byId = await packs.latest('pk_pzk53jxm7egcmd4repe8rdcpre')
      const bySlug = await packs.version('tls', '1.0.0')
      expect(Buffer.from(byId!.document).toString()).toBe(serializePack(version.pack))
      expect(bySlug).toEqual(byId)
      expect(byId).toMatchObject({ slug: 'tls', sequence: 1, yanked: false, yanked_reason: null })
      expect(byId).not.toHaveProperty('content')
    })

    it('leaves unknown packs and versions undefined, for any name', async () => {
      const { packs } = context.catalog
      await packs.commit([makeVersion({ slug: 'tls' })])
      for (const name of ['', 'ssh', 'pk_', 'TLS', "tls'", 'tls\0', '%', '\uD800', 'x'.repeat(5000)]) {
        expect(await packs.latest(name)).toBeUndefined()
        expect(await packs.head(name)).toBeUndefined()
        expect(await packs.versions(name)).toEqual([])
        expect(await packs.version(name, '1.0.0')).toBeUndefined()
      }
      for (const version of ['', '1.0', '1.0.1', '01.0.0', '1.0.0\0', 'latest', '9999999999.0.0']) {
        expect(await packs.version('tls', version)).toBeUndefined()
        expect(await packs.provenance('tls', version)).toBeUndefined()
      }
    })

    it('changes nothing for an existing version from the same source, and rejects it from another', async () => {
      const { packs } = context.catalog
      const first = makeVersion({ slug: 'tls', source: 'A' })
      await packs.commit([first])
      expect(await packs.commit([first])).toMatchObject([{ status: 'unchanged', sequence: 1 }])
      const other = makeVersion({ slug: 'tls', source: 'B', parent: '1.0.0' })
      expect(await errorCode(packs.commit([other]))).toBe('version_conflict')
      expect(await context.catalog.sequence()).toBe(1)
      expect((await packs.head('tls'))?.sourceDigest).toBe(first.sourceDigest)
    })

    it('rejects a version whose parent is not the newest', async () => {
      const { packs } = context.catalog
      await packs.commit([makeVersion({ slug: 'tls', version: '1.0.0' })])
      await packs.commit([makeVersion({ slug: 'tls', version: '1.1.0', parent: '1.0.0' })])
      const late = makeVersion({ slug: 'tls', version: '1.2.0', parent: '1.0.0' })
      const clash = makeVersion({ slug: 'tls', version: '1.1.0', parent: '1.0.0', source: 'other' })
      expect(await errorCode(packs.commit([late]))).toBe('parent_moved')
      expect(await errorCode(packs.commit([clash]))).toBe('parent_moved')
      expect(await errorCode(packs.commit([makeVersion({ slug: 'tls', version: '2.0.0' })]))).toBe(
        'parent_moved',
      )
      expect(await errorCode(packs.commit([makeVersion({ slug: 'ssh', parent: '1.0.0' })]))).toBe(
        'parent_moved',
      )
      expect(await context.catalog.sequence()).toBe(2)
    })

    it('keeps A, B and A again as three versions', async () => {
      const { packs } = context.catalog
      await packs.commit([makeVersion({ slug: 'tls', version: '1.0.0', source: 'A' })])
      await packs.commit([makeVersion({ slug: 'tls', version: '1.0.1', source: 'B', parent: '1.0.0' })])
      await packs.commit([makeVersion({ slug: 'tls', version: '1.0.2', source: 'A', parent: '1.0.1' })])
      const lines = await packs.versions('tls')
      expect(lines.map(({ version }) => version)).toEqual(['1.0.2', '1.0.1', '1.0.0'])
      expect(lines[0]!.sha256).toBe(lines[2]!.sha256)
    })

    it('uses the highest number as latest and the last commit as head', async () => {
      const { packs } = context.catalog
      await packs.commit([makeVersion({ slug: 'tls', version: '1.9.0' })])
      await packs.commit([makeVersion({ slug: 'tls', version: '1.10.0', parent: '1.9.0', title: 'Ten' })])
      await packs.commit([makeVersion({ slug: 'tls', version: '1.9.1', parent: '1.10.0', title: 'Nine' })])
      expect(await packs.latest('tls')).toMatchObject({ version: '1.10.0', title: 'Ten', sequence: 2 })
      expect(await packs.head('tls')).toMatchObject({ version: '1.9.1', highest: '1.10.0' })
      const { packs: listed } = await packs.list({ limit: 10, offset: 0 })
      expect(listed.map(({ title, version }) => `${title} ${version}`)).toEqual(['Ten 1.10.0'])
    })

    it('creates one version from 20 concurrent publishes of one source', async () => {
      const { database, url } = context
      const catalogs = [context.catalog, await database.open(url), await database.open(url)]
      const version = makeVersion({ slug: 'tls' })
      const publishes = Array.from({ length: 20 }, (_, index) => catalogs[index % 3]!.packs.commit([version]))
      const results = (await Promise.all(publishes)).flat()
      expect(results.filter(({ status }) => status === 'published')).toHaveLength(1)
      expect(results.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 20 }, () => 1))
      expect(await context.catalog.packs.versions('tls')).toHaveLength(1)
    })

    it('keeps every one of several concurrent publishes, without gaps in the sequence', async () => {
      const { database, url, catalog } = context
      const catalogs = [catalog, await database.open(url)]
      const sources = ['A', 'B', 'C', 'D', 'E', 'F']
      const results = await Promise.all(
        sources.map((source, index) => publishNext(catalogs[index % 2]!, 'tls', source)),
      )
      const numbers = results.map(({ sequence }) => sequence).toSorted((a, b) => a - b)
      expect(numbers).toEqual([1, 2, 3, 4, 5, 6])
      expect((await catalog.packs.versions('tls')).map(({ version }) => version)).toEqual([
        '1.5.0',
        '1.4.0',
        '1.3.0',
        '1.2.0',
        '1.1.0',
        '1.0.0',
      ])
    })

    it('commits nothing of a release with one rejected member', async () => {
      const { packs } = context.catalog
      await packs.commit([makeVersion({ slug: 'tls', source: 'A' })])
      const release = [
        makeVersion({ slug: 'aes' }),
        makeVersion({ slug: 'tls', source: 'B', parent: '1.0.0' }),
        makeVersion({ slug: 'ssh' }),
      ]
      expect(await errorCode(packs.commit(release))).toBe('version_conflict')
      expect(await packs.latest('aes')).toBeUndefined()
      expect((await packs.list({ limit: 10, offset: 0 })).total).toBe(1)
      expect((await packs.list({ limit: 10, offset: 0, search: 'aes' })).total).toBe(0)
      expect(await context.catalog.sequence()).toBe(1)
      expect(await packs.commit([release[0]!, release[2]!])).toMatchObject([{ sequence: 2 }, { sequence: 3 }])
    })

    it('commits a release with several versions of one pack, among new and existing packs', async () => {
      const { packs } = context.catalog
      await packs.commit([makeVersion({ slug: 'old' })])
      const many = Array.from({ length: 230 }, (_, index) => makeVersion({ slug: `new-${index}` }))
      const results = await packs.commit([
        makeVersion({ slug: 'tls', version: '1.0.0', title: 'First' }),
        makeVersion({ slug: 'tls', version: '1.1.0', title: 'Second', parent: '1.0.0' }),
        ...many,
        makeVersion({ slug: 'old', version: '1.0.1', parent: '1.0.0' }),
        makeVersion({ slug: 'old' }),
        makeVersion({ slug: 'last' }),
      ])
      expect(results.map(({ sequence }) => sequence)).toEqual([
        ...Array.from({ length: 233 }, (_, index) => index + 2),
        1,
        235,
      ])
      expect(results.at(-2)).toMatchObject({ slug: 'old', version: '1.0.0', status: 'unchanged' })
      expect(await packs.latest('tls')).toMatchObject({ version: '1.1.0', title: 'Second', sequence: 3 })
      expect((await packs.list({ limit: 1, offset: 0, search: 'new-' })).total).toBe(230)
      expect((await packs.list({ limit: 1, offset: 0, search: 'first' })).total).toBe(0)
      expect(await packs.latest('new-229')).toMatchObject({ sequence: 233, version: '1.0.0' })
      expect(
        await errorCode(
          packs.commit([many[0]!, makeVersion({ slug: 'x' }), makeVersion({ slug: 'x', source: 'y' })]),
        ),
      ).toBe('parent_moved')
      expect(await packs.latest('x')).toBeUndefined()
      expect(await context.catalog.sequence()).toBe(235)
    })

    it('never moves time back, even if the clock does', async () => {
      let time = '2026-03-01T10:00:05.000Z'
      const now = (): Date => new Date(time)
      const catalog = await context.database.open(await context.database.create(), { now })
      await catalog.packs.commit([makeVersion({ slug: 'aes' })])
      time = '2026-03-01T10:00:01.000Z'
      await catalog.packs.commit([makeVersion({ slug: 'tls' })])
      expect((await catalog.packs.latest('tls'))?.updated_at).toBe('2026-03-01T10:00:05.000Z')
      time = '2026-03-01T10:00:06.000Z'
      await catalog.packs.yank('tls', '1.0.0', 'wrong', actor)
      expect(await catalog.packs.version('tls', '1.0.0')).toMatchObject({
        published_at: '2026-03-01T10:00:05.000Z',
        updated_at: '2026-03-01T10:00:06.000Z',
      })
    })

    it('stores the provenance of a version', async () => {
      const version = makeVersion({ slug: 'tls' })
      await context.catalog.packs.commit([version])
      const expected = { ...version.provenance, sourceDigest: version.sourceDigest }
      expect(await context.catalog.packs.provenance('tls', '1.0.0')).toEqual(expected)
      expect(await context.catalog.packs.head('tls')).toEqual({
        yanked: false,
        id: 'pk_pzk53jxm7egcmd4repe8rdcpre',
        slug: 'tls',
        version: '1.0.0',
        highest: '1.0.0',
        sourceDigest: version.sourceDigest,
        packDigest: version.pack.pack_digest,
        provenance: version.provenance,
      })
    })

    it('stores the values that did not come from the source, also those that a later version has added', async () => {
      const { catalog, database, url } = context
      const version = makeVersion({ slug: 'tls' })
      const given = { slug: 'tls', title: 'TLS', budget: 900, tables: 'b'.repeat(64) }
      await catalog.packs.commit([{ ...version, provenance: { ...version.provenance, given } }])
      expect((await catalog.packs.provenance('tls', '1.0.0'))?.given).toEqual(given)
      const later = `replace(provenance, '"budget":900', '"budget":900,"audience":"all"')`
      await database.run(url, `update versions set provenance = ${later}`)
      expect((await catalog.packs.head('tls'))?.provenance.given).toEqual({ ...given, audience: 'all' })
    })

    it('completes only the jobs of its versions', async () => {
      const { packs, jobs } = context.catalog
      for (const id of ['one', 'two', 'other']) {
        const job = { id, slug: 'x', attempts: 2, owner: 'h 1 2', release: null, data: null }
        await jobs.accept([], () => [{ ...job, state: 'active' }])
      }
      const [a, b] = [makeVersion({ slug: 'a' }), makeVersion({ slug: 'b' })].map((version, at) => ({
        ...version,
        provenance: { ...version.provenance, job: ['one', 'two'][at]! },
      }))
      const wrong = { ...makeVersion({ slug: 'c' }), parent: '1.0.0' }
      expect(await errorCode(packs.commit([a!, wrong]))).toBe('parent_moved')
      expect(await jobs.get('one')).toMatchObject({ state: 'active', owner: 'h 1 2' })
      await packs.commit([a!, b!])
      for (const id of ['one', 'two']) {
        expect(await jobs.get(id)).toMatchObject({
          state: 'completed',
          progress: 100,
          attempts: 2,
          owner: null,
        })
      }
      expect(await jobs.get('other')).toMatchObject({ state: 'active', owner: 'h 1 2' })
    })

    it('returns a tampered row unchanged, so that its digest reveals it', async () => {
      const { catalog, database, url } = context
      await catalog.packs.commit([makeVersion({ slug: 'tls', content: 'safe' })])
      const sql = {
        sqlite: `update versions set document = cast(replace(cast(document as text), 'safe', 'evil') as blob)`,
        postgres: `update versions set document = replace(encode(document, 'escape'), 'safe', 'evil')::bytea`,
      }
      await database.run(url, url.startsWith('postgres') ? sql.postgres : sql.sqlite)
      const tampered = parsePack((await catalog.packs.latest('tls'))!.document)
      expect(tampered.content).toBe('evil')
      expect(digestPack(tampered)).not.toBe(tampered.pack_digest)
    })
  })
}

/** Publishes and retries with the next number when the parent has moved. */
async function publishNext(catalog: Catalog, slug: string, source: string): Promise<CommitResult> {
  for (;;) {
    const head = await catalog.packs.head(slug)
    const minor = head === undefined ? 0 : Number(head.highest.split('.')[1]) + 1
    const version = makeVersion({ slug, source, version: `1.${minor}.0`, parent: head?.version ?? null })
    try {
      return (await catalog.packs.commit([version]))[0]!
    } catch (error) {
      if (!(error instanceof CatalogError && error.code === 'parent_moved')) throw error
    }
  }
}
