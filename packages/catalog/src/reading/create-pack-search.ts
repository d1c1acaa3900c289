import { LOCKED_TOKENS } from '@packs/codec/internal'
import { checkQuery, type ReadingScope, type SearchQuery } from '@packs/search'
import type { Difficulty } from '@packs/codec/pack'
import type { Catalog } from '../open-catalog.ts'
import type { SectionReader } from './create-reader.ts'
import { damagedIndexError } from '../search-index/write-packs.ts'
import type { ContextQuery, IndexContext, IndexPage } from './search-texts.ts'

export interface PackSearchQuery extends Omit<SearchQuery, 'scope'> {
  readonly difficulty?: Difficulty | undefined
}

/** A page of hits, best first. */
export type PackSearchPage = IndexPage

/** Searches packs and sections. */
export interface PackSearch {
  /**
   * Returns the hits of a query, with snippets of the text that the reader may see. Pages for
   * readers of previews are cached until the catalog changes.
   * @param owner account or network that searches: they take turns
   * @throws RangeError as `checkQuery` of `@packs/search` does
   * @throws CatalogError `catalog_unavailable` or `search_busy`
   */
  search(query: PackSearchQuery, scope: ReadingScope, owner?: string): Promise<PackSearchPage>
  /** Returns the passages that answer a question within a budget; throws as `search` does. */
  context(query: ContextQuery, owner?: string): Promise<IndexContext>
}

/** Creates the search of a catalog. */
export function createPackSearch(catalog: Catalog, reader: SectionReader): PackSearch {
  return {
    async search(query, scope, owner = '') {
      checkQuery(query.text)
      const { text, domain, difficulty, limit, offset, maxTokens: most } = query
      // Otherwise some searches would find the tokens of a locked section.
      const isRounded = scope === 'preview' && most !== undefined
      const maxTokens = isRounded ? most - (most % LOCKED_TOKENS) : most
      const read = (): Promise<PackSearchPage> =>
        reader
          .for(owner)
          .search({ ...query, maxTokens, scope })
          .catch(explainDamage)
      if (scope !== 'preview') return read()
      const filters = [text, domain ?? '', difficulty ?? '', maxTokens ?? '', limit, offset]
      return catalog.results.obtain(`search ${JSON.stringify(filters)}`, await catalog.sequence(), read)
    },
    async context(query, owner = '') {
      checkQuery(query.text)
      return reader.for(owner).context(query).catch(explainDamage)
    },
  }
}

/** The query was checked, so an entry is out of range. A thread keeps only names of errors. */
function explainDamage(error: unknown): never {
  throw error instanceof Error && error.name === 'RangeError' ? damagedIndexError(error) : error
}
