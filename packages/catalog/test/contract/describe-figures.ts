import { openDocument, type NewVersion } from '@packs/catalog'
import { composePrompt } from '@packs/codec/prompt'
import { beforeEach, describe, expect, it } from 'vitest'
import type { CatalogContext } from '../catalog-context.ts'
import { makeVersion } from '../make-version.ts'
import { actor } from '../test-actor.ts'

const TEXT = '# Keys\n\nA key opens a lock. It can be lost.\n'

function makeFigured(
  slug: string,
  more: { readonly version?: string; readonly parent?: string } = {},
): NewVersion {
  const version = makeVersion({ slug, content: TEXT, preview: TEXT.slice(0, 27), ...more })
  return { ...version, assumed: ['difficulty', 'subdomain'] }
}

const { pack } = makeFigured('keys')
const figures = {
  prompt_tokens: composePrompt([pack], { asBuilt: true }).tokens,
  lead: 'A key opens a lock.',
}

/** Tests what lists show of a version beside its summary. */
export function describeFigures(context: CatalogContext): void {
  const run = (sql: string): Promise<void> => context.database.run(context.url, sql)
  const read = async (slug = 'keys'): Promise<object | undefined> => {
    const found = await context.catalog.packs.find(slug)
    return found && { prompt_tokens: found.prompt_tokens, lead: found.lead }
  }
  const counted = { prompt_tokens: figures.prompt_tokens }
  const absent = { prompt_tokens: undefined, lead: undefined }

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
      expect(await packs.versions('keys')).toMatchObject([counted])
      expect(openDocument((await packs.latest('keys'))!)).toEqual(pack)
      expect((await packs.audit('keys', '1.0.0'))!.damaged).toEqual([])
      expect(await context.catalog.search.audit('keys', '1.0.0')).toEqual([])
    })

    it('are counted for later versions, and nothing is assumed by those that do not say so', async () => {
      const { packs } = context.catalog
      await packs.commit([makeFigured('keys', { version: '1.1.0', parent: '1.0.0' })])
      await packs.commit([makeVersion({ slug: 'other' })])
      expect(await packs.versions('keys')).toMatchObject([counted, counted])
      expect(await packs.find('other')).not.toHaveProperty('assumed')
      expect(await packs.find('other')).not.toHaveProperty('lead')
    })

    it('are added to versions of older programs, also yanked ones and those of packs with newer ones', async () => {
      const { packs, search } = context.catalog
      await packs.commit([makeFigured('keys', { version: '1.1.0', parent: '1.0.0' }), makeFigured('yanked')])
      await packs.yank('yanked', '1.0.0', 'wrong', actor)
      await run('delete from figures')
      expect(await read()).toEqual(absent)
      expect(await search.audit('keys', '1.0.0')).toEqual([])
      expect(await search.indexWaiting()).toEqual({ packs: 0, outlines: 0, skipped: [] })
      expect(await read()).toEqual(figures)
      expect(await packs.version('keys', '1.0.0')).toMatchObject(figures)
      expect(await packs.version('yanked', '1.0.0')).toMatchObject(figures)
    })

    it('are absent, and are not sought again, if no prompt can be composed', async () => {
      await run(`update figures set prompt_tokens = -1, lead = 'kept'`)
      await context.catalog.search.indexWaiting()
      expect(await read()).toEqual({ prompt_tokens: undefined, lead: 'kept' })
      expect((await context.catalog.packs.versions('keys'))[0]).not.toHaveProperty('prompt_tokens')
    })

    it('are absent if the version cannot be decoded', async () => {
      const { packs } = context.catalog
      const broken = makeVersion({ slug: 'broken', compression: 'glossary-1' })
      await packs.commit([{ ...broken, pack: { ...broken.pack, rosetta: 'no header' } }])
      expect(await read('broken')).toEqual(absent)
    })

    it('are compared with the document, and counted again when the index is rebuilt', async () => {
      const { search } = context.catalog
      await run(`update figures set prompt_tokens = 1, lead = 'Another sentence.'`)
      expect(await search.audit('keys', '1.0.0')).toEqual(['figures.prompt_tokens', 'figures.lead'])
      await search.rebuild()
      expect([await read(), await search.audit('keys', '1.0.0')]).toEqual([figures, []])
    })

    it('are kept by a damaged index', async () => {
      const { packs } = context.catalog
      await run('drop table search_entries')
      await packs.commit([makeFigured('later')])
      expect(await read('later')).toEqual(figures)
    })
  })
}
