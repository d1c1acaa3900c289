import type { Catalog, IndexState, PackSearchPage, PackSearchQuery, SectionReader } from '@packs/catalog'
import type { Host } from '../host.ts'
import { locateServices, requireCatalog, withReadOnlyCatalog } from './open-services.ts'

/** Result of {@link searchCatalog}. */
export interface CatalogSearch {
  readonly page: PackSearchPage
  /** What the user should know about the index and about packs, each in one line. */
  readonly warnings: readonly string[]
  /** The text of the hit to print. */
  readonly text: string | undefined
}

/**
 * Searches the latest versions of a catalog, without writing to it.
 *
 * @param data folder of the embedded catalog, as for `--data`; `DATABASE_URL` comes first
 * @param print rank of the hit whose text is returned too, from 1
 * @throws CatalogError `catalog_unavailable`, `catalog_damaged`
 * @throws RangeError for a query without text or over 400 code points
 * @example
 * const { page } = await searchCatalog(host, '.packs', { text: 'key expiration', limit: 10, offset: 0 })
 */
export async function searchCatalog(
  host: Host,
  data: string,
  query: PackSearchQuery,
  print?: number,
): Promise<CatalogSearch> {
  const { createPackSearch, createReader } = await import('@packs/catalog')
  const urls = locateServices(data)
  await requireCatalog(urls)
  return withReadOnlyCatalog(host, urls, async (catalog) => {
    const reader = createReader(catalog)
    const { sections } = reader.accounts
    try {
      const page = await createPackSearch(catalog, sections).search(query, 'full')
      const hit = print === undefined ? undefined : page.hits[print - 1]
      const damaged = page.damaged.map(
        ({ slug, version }) => `${slug}@${version ?? '?'} is damaged; run \`pack verify --all\``,
      )
      return {
        page,
        warnings: [...describeState(host, await catalog.search.state()), ...damaged],
        text: hit && (await readHit(catalog, sections, hit)),
      }
    } finally {
      await reader.close()
    }
  })
}

function describeState({ formatCount }: Host, { status, waiting }: IndexState): string[] {
  if (status === 'ready') return []
  if (status === 'damaged')
    return ['the search index is damaged, so only titles are searched; run `pack index --rebuild`']
  return [
    `${formatCount(waiting)} packs are not in the search index, so only their titles are searched; run \`pack index\``,
  ]
}

type Hit = PackSearchPage['hits'][number]

/** Reads the text of a section, or the whole body, of the version that was found. */
async function readHit(catalog: Catalog, reader: SectionReader, { pack, section }: Hit): Promise<string> {
  const { decode } = await import('@packs/codec')
  const outline = await catalog.search.outline(pack.sequence)
  const end = outline?.sections.at(-1)?.end ?? 0
  const part = section === null ? undefined : outline?.sections.find(({ id }) => id === section.id)
  const { content, rosetta } = await reader.slice(pack.sequence, part ?? { start: 0, end }, 'full')
  return decode(content, rosetta)
}
