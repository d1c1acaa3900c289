import { openDocument, type NewVersion } from '@packs/catalog'
import { beforeEach, describe, expect, it } from 'vitest'
import type { CatalogContext } from '../catalog-context.ts'
import { makeVersion } from '../../../test-kit/test/make-version.ts'

const TEXT = '# Keys\n\nA key opens a lock. It can be lost.\n'

function makeFigured(
  slug: string,
  more: { readonly version?: string; readonly parent?: string } = {},
): NewVersion {
  const version = makeVersion({ slug, content: TEXT, preview: TEXT.slice(0, 27), ...more })
  return { ...version, assumed: ['difficulty', 'subdomain'] }
}

const { pack } = makeFigured('keys')
const figures = { lead: 'A key opens a lock.' }

/** Tests what lists show of a version beside its summary. */
export function describeFigures(context: CatalogContext): void {
  const run = (sql: string): Promise<void> => context.database.run(context.url, sql)
  describe('figures of versions', () => {
    beforeEach(async () => {
      await context.catalog.packs.commit([makeFigured('keys')])
    })

    it('are in every answer about a version, and not in its document', async () => {
      const { packs } = context.catalog
      const expected = { ...figures, assumed: ['difficulty', 'subdomain'] }
      expect(await packs.latest('keys')).toMatchObject(expected)
      expect(await packs.version('keys', '1.0.0')).toMatchObject(expected)
      expect((await packs.list({ limit: 9, offset: 0 })).packs).toMatchObject([expected])
      const { changes } = await packs.changes({ after: 0, removals: true, limit: 9, maxBytes: 1e6 })
      expect(changes).toMatchObject([{ version: expected }])
      const { token_count, rosetta_tokens } = pack
      expect(await packs.versions('keys')).toMatchObject([{ token_count, rosetta_tokens }])
      expect(openDocument((await packs.latest('keys'))!)).toEqual(pack)
      expect((await packs.examine('keys', '1.0.0'))!.damaged).toEqual([])
      expect(await context.catalog.search.examine('keys', '1.0.0')).toEqual([])
    })

    it('assume nothing of a version that does not say so', async () => {
      const { packs } = context.catalog
      await packs.commit([makeVersion({ slug: 'other' })])
      expect(await packs.find('other')).not.toHaveProperty('assumed')
      expect(await packs.find('other')).not.toHaveProperty('lead')
    })

    it('cannot be counted of a version that cannot be decoded, which is not committed', async () => {
      const { packs } = context.catalog
      const broken = makeVersion({ slug: 'broken', compression: 'minify-1' })
      const commit = packs.commit([{ ...broken, pack: { ...broken.pack, rosetta: 'no header' } }])
      await expect(commit).rejects.toMatchObject({ name: 'CodecError' })
      expect(await packs.head('broken')).toBeUndefined()
    })

    it('are compared with the document', async () => {
      await run(`update versions set lead = 'Another sentence.'`)
      expect(await context.catalog.search.examine('keys', '1.0.0')).toEqual(['versions.lead'])
    })
  })
}
