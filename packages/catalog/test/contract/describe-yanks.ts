import { describe, expect, it } from 'vitest'
import type { CatalogContext } from '../catalog-context.ts'
import { makeVersion, actor } from '../../../test-kit/test/make-version.ts'
import { errorCode } from '../error-code.ts'

export function describeYanks(context: CatalogContext): void {
  describe('PackStore.yank and undoYank', () => {
    it('hide a version from list, search and latest but still serve it, and show it again', async () => {
      const { packs } = context.catalog
      await packs.commit([makeVersion({ slug: 'tls', version: '1.0.0', title: 'Old name' })])
      await packs.commit([makeVersion({ slug: 'tls', version: '1.1.0', title: 'New name', parent: '1.0.0' })])
      const before = await packs.version('tls', '1.1.0')

      const yanked = await packs.yank('tls', '1.1.0', 'wrong\0 table', actor)
      expect(yanked).toMatchObject({ version: '1.1.0', yanked: true, yanked_reason: 'wrong\uFFFD table' })
      expect(yanked.document).toEqual(before!.document)
      expect(await packs.latest('tls')).toMatchObject({ version: '1.0.0' })
      expect(await search('old')).toEqual(['Old name'])
      expect(await search('new')).toEqual([])
      expect(await packs.versions('tls')).toMatchObject([
        { version: '1.1.0', yanked: true, yanked_reason: 'wrong\uFFFD table' },
        { version: '1.0.0', yanked: false, yanked_reason: null },
      ])

      expect(await packs.undoYank('tls', '1.1.0', actor)).toMatchObject({
        yanked: false,
        yanked_reason: null,
      })
      expect(await packs.latest('tls')).toMatchObject({ version: '1.1.0' })
      expect(await search('old')).toEqual([])
      expect(await search('new')).toEqual(['New name'])
      expect(await context.catalog.sequence()).toBe(4)
    })

    it('change nothing the second time, and report that', async () => {
      const { packs } = context.catalog
      await packs.commit([makeVersion({ slug: 'tls' })])
      expect(await packs.undoYank('tls', '1.0.0', actor)).toMatchObject({
        yanked: false,
        reason_before: null,
      })
      expect(await packs.yank('tls', '1.0.0', 'first', actor)).toMatchObject({ reason_before: null })
      const again = await packs.yank('tls', '1.0.0', 'first', actor)
      expect(again).toMatchObject({ yanked_reason: 'first', reason_before: 'first' })
      expect(await context.catalog.sequence()).toBe(2)
    })

    it('replace the reason, which readers see as a change', async () => {
      const { packs } = context.catalog
      await packs.commit([makeVersion({ slug: 'tls' })])
      await packs.yank('tls', '1.0.0', 'first', actor)
      const corrected = await packs.yank('tls', '1.0.0', 'second', actor)
      expect(corrected).toMatchObject({ yanked_reason: 'second', reason_before: 'first' })
      expect(await packs.versions('tls')).toMatchObject([{ yanked: true, yanked_reason: 'second' }])
      expect(await context.catalog.sequence()).toBe(3)
      const { changes } = await packs.changes({ after: 2, removals: true, limit: 9, maxBytes: 1e6 })
      expect(changes).toMatchObject([{ slug: 'tls', removed: true, sequence: 3 }])
      expect(await packs.undoYank('tls', '1.0.0', actor)).toMatchObject({
        yanked: false,
        reason_before: 'second',
      })
    })

    it('remove a pack without visible versions, but never reuse its version numbers', async () => {
      const { packs } = context.catalog
      await packs.commit([makeVersion({ slug: 'tls', source: 'A' }), makeVersion({ slug: 'aes' })])
      await packs.yank('tls', '1.0.0', '', actor)
      expect(await packs.latest('tls')).toBeUndefined()
      expect((await packs.list({ limit: 10, offset: 0 })).packs.map(({ slug }) => slug)).toEqual(['aes'])
      expect(await packs.domains()).toMatchObject([{ domain: 'Security', domain_slug: 'security', packs: 1 }])
      expect(await packs.version('tls', '1.0.0')).toMatchObject({ yanked: true, yanked_reason: '' })
      expect(await packs.head('tls')).toMatchObject({ version: '1.0.0' })

      const again = makeVersion({ slug: 'tls', source: 'B', parent: '1.0.0' })
      expect(await errorCode(packs.commit([again]))).toBe('version_conflict')
      await packs.commit([makeVersion({ slug: 'tls', version: '1.0.1', parent: '1.0.0' })])
      expect(await packs.latest('tls')).toMatchObject({ version: '1.0.1' })
      expect((await packs.list({ limit: 10, offset: 0, search: 'tls' })).total).toBe(1)
    })

    it('reject unknown packs and versions', async () => {
      const { packs } = context.catalog
      await packs.commit([makeVersion({ slug: 'tls' })])
      expect(await errorCode(packs.yank('ssh', '1.0.0', 'x', actor))).toBe('unknown_pack')
      expect(await errorCode(packs.yank('tls', '1.0.1', 'x', actor))).toBe('unknown_version')
      expect(await errorCode(packs.undoYank('tls', 'latest', actor))).toBe('unknown_version')
    })
  })

  async function search(words: string): Promise<string[]> {
    const { packs } = await context.catalog.packs.list({ limit: 10, offset: 0, search: words })
    return packs.map(({ title }) => title)
  }
}
