import type { Catalog, Change, ChangeQuery } from '@packs/catalog'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countRuns } from '../../../test-kit/test/count-runs.ts'
import type { CatalogContext } from '../catalog-context.ts'
import { makeVersion, actor } from '../../../test-kit/test/make-version.ts'

const all = { after: 0, removals: true, limit: 100, maxBytes: 1_000_000 } as const

export function describeChanges(context: CatalogContext): void {
  describe('PackStore.changes', () => {
    it('returns the current state of each pack once, oldest change first', async () => {
      const { packs } = context.catalog
      await packs.commit([makeVersion({ slug: 'a' }), makeVersion({ slug: 'b' }), makeVersion({ slug: 'c' })])
      await packs.commit([makeVersion({ slug: 'a', version: '1.1.0', parent: '1.0.0' })])
      await packs.yank('b', '1.0.0', 'wrong', actor)
      expect(await summarize(all)).toEqual(['3 c 1.0.0', '4 a 1.1.0', '5 b removed', 'end 5'])
      expect(await summarize({ ...all, removals: false })).toEqual(['3 c 1.0.0', '4 a 1.1.0', 'end 5'])
      expect(await summarize({ ...all, after: 4 })).toEqual(['5 b removed', 'end 5'])
      expect(await summarize({ ...all, after: 5 })).toEqual(['end 5'])
      await packs.undoYank('b', '1.0.0', actor)
      expect(await summarize({ ...all, after: 5 })).toEqual(['6 b 1.0.0', 'end 6'])
    })

    it('limits a page by packs and bytes, but returns at least one pack', async () => {
      const content = 'x'.repeat(10_000)
      await context.catalog.packs.commit(
        ['a', 'b', 'c', 'd'].map((slug) => makeVersion({ slug, content: slug === 'd' ? '' : content })),
      )
      expect(await summarize({ ...all, limit: 3 })).toEqual(['1 a 1.0.0', '2 b 1.0.0', '3 c 1.0.0', 'more 3'])
      expect(await summarize({ ...all, limit: 4 })).toHaveLength(5)
      expect(await summarize({ ...all, maxBytes: 25_000 })).toEqual(['1 a 1.0.0', '2 b 1.0.0', 'more 2'])
      expect(await summarize({ ...all, maxBytes: 1 })).toEqual(['1 a 1.0.0', 'more 1'])
      expect(await summarize({ ...all, after: 2, maxBytes: 12_000 })).toEqual([
        '3 c 1.0.0',
        '4 d 1.0.0',
        'end 4',
      ])
    })

    it('returns changes since a time, inclusively', async () => {
      let minute = 0
      const catalog = await context.database.open(await context.database.create(), {
        now: () => new Date(Date.UTC(2026, 2, 1, 10, minute)),
      })
      for (const slug of ['a', 'b', 'c']) {
        await catalog.packs.commit([makeVersion({ slug })])
        minute++
      }
      const since = (time: string) => summarize({ ...all, since: time }, catalog)
      expect(await since('2026-03-01T10:01:00Z')).toEqual(['2 b 1.0.0', '3 c 1.0.0', 'end 3'])
      expect(await since('2026-03-01T12:02:00+02:00')).toEqual(['3 c 1.0.0', 'end 3'])
      expect(await since('2026-03-01T10:02:00.001Z')).toEqual(['end 3'])
    })

    it('reports a pack that left the domain as a removal', async () => {
      const { packs } = context.catalog
      await packs.commit([makeVersion({ slug: 'a' }), makeVersion({ slug: 'b', domain_slug: 'cooking' })])
      const moved = makeVersion({ slug: 'a', version: '1.1.0', parent: '1.0.0', domain_slug: 'cooking' })
      await packs.commit([moved])
      expect(await summarize({ ...all, domain: 'security' })).toEqual(['3 a removed', 'end 3'])
      expect(await summarize({ ...all, domain: 'security', removals: false })).toEqual(['end 3'])
      expect(await summarize({ ...all, domain: 'cooking' })).toEqual(['2 b 1.0.0', '3 a 1.1.0', 'end 3'])
      await packs.yank('a', '1.1.0', 'moved too early', actor)
      expect(await summarize({ ...all, domain: 'security', after: 3 })).toEqual(['4 a 1.0.0', 'end 4'])
      expect(await summarize({ ...all, domain: 'cooking', after: 3 })).toEqual(['4 a removed', 'end 4'])
      expect(await summarize({ ...all, difficulty: 'expert' })).toEqual(['end 4'])
    })

    it('gives an incremental reader the same result as a full read', async () => {
      let run = 0
      await fc.assert(
        fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 12 }), async (operations) => {
          run += 1
          for (const { slug, ...rest } of operations) {
            await operate(context.catalog, { slug: `${slug}-${run}`, ...rest })
            if (rest.isReadAfter) await catchUp()
          }
          await catchUp()
          for (const [reader, state] of readers) expect(state).toEqual(await readAll(context.catalog, reader))
        }),
        { numRuns: countRuns(5) },
      )
    })
  })

  const readers = new Map<string, Map<string, string>>([
    ['', new Map()],
    ['x', new Map()],
  ])
  const cursors = new Map<string, number>()

  async function catchUp(): Promise<void> {
    for (const [domain, state] of readers) {
      for (let more = true; more;) {
        const after = cursors.get(domain) ?? 0
        const page = await context.catalog.packs.changes({
          ...all,
          after,
          limit: 2,
          domain: domain === '' ? undefined : domain,
        })
        for (const change of page.changes) apply(state, change)
        cursors.set(domain, page.last)
        more = page.more
      }
    }
  }

  async function summarize(query: ChangeQuery, catalog = context.catalog): Promise<string[]> {
    const { changes, last, more } = await catalog.packs.changes(query)
    const lines = changes.map((change) =>
      change.removed
        ? `${change.sequence} ${change.slug} removed`
        : `${change.sequence} ${change.version.slug} ${change.version.version}`,
    )
    return [...lines, `${more ? 'more' : 'end'} ${last}`]
  }
}

const operation = fc.record({
  slug: fc.constantFrom('a', 'b', 'c'),
  kind: fc.constantFrom('publish', 'publish', 'yank', 'undo'),
  domain: fc.constantFrom('x', 'y'),
  pick: fc.nat(3),
  isReadAfter: fc.boolean(),
})

async function operate(
  { packs }: Catalog,
  { slug, kind, domain, pick }: { slug: string; kind: string; domain: string; pick: number },
): Promise<void> {
  const head = await packs.head(slug)
  if (kind === 'publish' || head === undefined) {
    const minor = head === undefined ? 0 : Number(head.highest.split('.')[1]) + 1
    const version = `1.${minor}.0`
    await packs.commit([makeVersion({ slug, version, parent: head?.version ?? null, domain_slug: domain })])
    return
  }
  const versions = await packs.versions(slug)
  const { version } = versions[pick % versions.length]!
  await (kind === 'yank' ? packs.yank(slug, version, 'wrong', actor) : packs.undoYank(slug, version, actor))
}

function apply(state: Map<string, string>, change: Change): void {
  if (change.removed) state.delete(change.slug)
  else state.set(change.version.slug, `${change.version.version} ${change.version.updated_at}`)
}

async function readAll({ packs }: Catalog, domain: string): Promise<Map<string, string>> {
  const query = { limit: 1000, offset: 0, domain: domain === '' ? undefined : domain }
  const listed = (await packs.list(query)).packs
  return new Map(listed.map(({ slug, version, updated_at }) => [slug, `${version} ${updated_at}`]))
}
