import fc from 'fast-check'
import { createPackSearch, createReader, type PackSearch } from '@packs/catalog'
import { describe, expect, it, onTestFinished } from 'vitest'
import { countRuns } from '../../../test-kit/test/count-runs.ts'
import { drawQuery, drawTwins, otherPacks, writePage } from '../../../search/test/locked-packs.ts'
import type { TestPack } from '../../../search/test/make-store.ts'
import type { CatalogContext } from '../catalog-context.ts'
import { makeVersion } from '../../../test-kit/test/make-version.ts'

/** Queries that are asked at the same time. */
const BATCH = 50
const BATCHES = countRuns(1)
const CONTEXT = { budget: 700, tokenizer: 'o200k_base', scope: 'preview' } as const

export function describeLockedOrder(context: CatalogContext): void {
  describe('a search of a reader of the preview', () => {
    it('tells nothing of the order of locked words, nor do passages', async () => {
      const [twins] = fc.sample(drawTwins, 1)
      const { first, second } = twins!
      const [one, two] = [await open(first), await open(second)]
      await fc.assert(
        fc.asyncProperty(
          fc.array(drawQuery(twins!), { minLength: BATCH, maxLength: BATCH }),
          async (queries) => {
            const [a, b] = await Promise.all([ask(one, queries), ask(two, queries)])
            expect(a).toEqual(b)
          },
        ),
        { numRuns: BATCHES },
      )
    })
  })

  /** Creates a catalog of a pack and others. */
  async function open(pack: TestPack): Promise<PackSearch> {
    const { database } = context
    const catalog = await database.open(await database.createCatalog())
    const versions = [pack, ...otherPacks].map(({ slug, title, body, visible = body.length }) =>
      makeVersion({ slug, title, content: body, preview: body.slice(0, visible) }),
    )
    await catalog.packs.commit(versions)
    const reader = createReader(catalog, 60_000)
    onTestFinished(() => reader.close())
    return createPackSearch(catalog, reader.accounts.sections)
  }
}

function ask(packSearch: PackSearch, queries: readonly string[]): Promise<string[]> {
  return Promise.all(
    queries.map(async (text) => {
      const page = await packSearch.search({ text, limit: 20, offset: 0 }, 'preview')
      const found = await packSearch.context({ ...CONTEXT, text })
      const passages = found.passages.map(({ pack, ...passage }) => [pack.slug, passage])
      const omitted = found.omitted.map(({ pack, section, reason }) => [pack.slug, section.id, reason])
      // The digest is of the whole document, so it differs.
      const hits = page.hits.map(({ pack, ...hit }) => ({ ...hit, pack: { ...pack, pack_digest: '' } }))
      return `${text}: ${writePage({ ...page, hits })} ${JSON.stringify({ ...found, passages, omitted })}`
    }),
  )
}
