import { checkQuery, type ReadingScope } from '@packs/search'
import { LRUCache } from 'lru-cache'
import { CatalogError } from '../catalog-error.ts'
import type { Catalog } from '../open-catalog.ts'
import type { SectionReader } from './create-reader.ts'
import { listTitleHits, listWaitingHits, type PackSearchQuery } from './list-title-hits.ts'
import type { ContextQuery, IndexContext, IndexPage } from './search-texts.ts'

/** Milliseconds that the state of the index is cached. */
const STATE_MILLISECONDS = 5000
/**
 * Characters of the pages for readers of previews that are cached, and milliseconds that each is.
 */
const MAX_CACHED = 16 * 1024 * 1024
const CACHE_MILLISECONDS = 60_000

/**
 * What packs are searched by: `ready`, the whole index; `building`, the index and the titles of
 * packs that it lacks; `unavailable`, titles only, because the index is damaged.
 */
export type SearchedIndex = 'ready' | 'building' | 'unavailable'

/** A page of hits, best first. */
export interface PackSearchPage extends IndexPage {
  readonly index: SearchedIndex
  /** Why the index is unavailable. */
  readonly reason?: string | undefined
}

/** Searches packs and sections. */
export interface PackSearch {
  /** Returns what packs are searched by now. The catalog is asked at most every five seconds. */
  readIndex(): Promise<SearchedIndex>
  /**
   * Returns the hits of a query, with snippets of the text that the reader may see. A damaged index
   * is not an error: titles are searched instead. Pages for readers of previews are cached until
   * the catalog changes.
   *
   * @param owner account or network that searches: they take turns
   * @throws RangeError as `checkQuery` of `@packs/search` does
   * @throws CatalogError `catalog_unavailable` or `search_busy`
   */
  search(query: PackSearchQuery, scope: ReadingScope, owner?: string): Promise<PackSearchPage>
  /**
   * Returns the passages that answer a question within a budget. Packs that the index lacks have
   * none.
   *
   * @param owner account or network that asks: they take turns
   * @throws RangeError as `checkQuery` of `@packs/search` does
   * @throws CatalogError `catalog_unavailable`, for a damaged index too, or `search_busy`
   */
  context(query: ContextQuery, owner?: string): Promise<IndexContext>
}

/**
 * Creates the search of a catalog.
 *
 * @param clock returns milliseconds that only increase. @default performance.now
 * @example
 * const packSearch = createPackSearch(catalog, reader.accounts.sections)
 * const { hits } = await packSearch.search({ text: 'key expiration', limit: 10, offset: 0 }, 'preview')
 */
export function createPackSearch(
  catalog: Catalog,
  reader: SectionReader,
  clock: () => number = () => performance.now(),
): PackSearch {
  const state = createStateReader(catalog, clock)
  const cached = new LRUCache<string, PackSearchPage>({
    maxSize: MAX_CACHED,
    sizeCalculation: (page) => JSON.stringify(page).length,
    ttl: CACHE_MILLISECONDS,
  })

  const searchTitles = async (query: PackSearchQuery, reason?: string): Promise<PackSearchPage> => ({
    ...(await listTitleHits(catalog, query)),
    corrected: null,
    index: 'unavailable',
    reason,
  })

  const searchIndex = async (
    query: PackSearchQuery,
    scope: ReadingScope,
    isComplete: boolean,
    owner: string,
  ): Promise<PackSearchPage> => {
    const { text, domain, difficulty, maxTokens, limit, offset } = query
    const filters = [text, domain ?? '', difficulty ?? '', maxTokens ?? '', limit, offset]
    const isCached = isComplete && scope === 'preview'
    const key = isCached ? `${await catalog.sequence()} ${JSON.stringify(filters)}` : ''
    const known = cached.get(key)
    if (known !== undefined) return known
    const page = { ...(await reader.for(owner).search({ ...query, scope })), index: 'ready' } as const
    if (isCached && page.damaged.length === 0) cached.set(key, page)
    return page
  }

  return {
    readIndex: async () => (await state.read()).index,
    async search(query, scope, owner = '') {
      checkQuery(query.text)
      const { index, reason } = await state.read()
      if (index === 'unavailable') return searchTitles(query, reason)
      let page: PackSearchPage
      try {
        page = await searchIndex(query, scope, index === 'ready', owner)
      } catch (error) {
        if (error instanceof CatalogError && error.code === 'search_busy') throw error
        // If not only the index fails, this fails too.
        const found = await searchTitles(query, nameError(error))
        state.forget()
        return found
      }
      return index === 'ready' ? page : { ...(await addWaiting(catalog, query, page)), index }
    },
    async context(query, owner = '') {
      checkQuery(query.text)
      if ((await state.read()).index === 'unavailable') throw damagedIndexError()
      return reader.for(owner).context(query)
    },
  }
}

function damagedIndexError(): CatalogError {
  const hint = 'Try again in a minute; the operator can repair the index with `pack index`.'
  return new CatalogError('catalog_unavailable', 'The index of the catalog is damaged', hint)
}

/** Adds the packs that the index lacks, after all hits that it has. */
async function addWaiting(
  catalog: Catalog,
  query: PackSearchQuery,
  page: PackSearchPage,
): Promise<PackSearchPage> {
  const waiting = await listWaitingHits(catalog, query)
  const start = Math.max(0, query.offset - page.total)
  const end = Math.max(0, query.offset + query.limit - page.total)
  const hits = waiting.slice(start, end)
  return { ...page, hits: [...page.hits, ...hits], total: page.total + waiting.length }
}

interface StateReader {
  read(): Promise<Pick<PackSearchPage, 'index' | 'reason'>>
  /** Reads the state again before the next search. */
  forget(): void
}

function createStateReader(catalog: Catalog, clock: () => number): StateReader {
  let known: ReturnType<StateReader['read']> | undefined
  let readAt = 0
  const read: StateReader['read'] = async () => {
    const { status, reason } = await catalog.search.state()
    if (status === 'damaged') return { index: 'unavailable', reason }
    return { index: status === 'ready' ? 'ready' : 'building' }
  }
  const forget = (): void => void (known = undefined)
  return {
    read() {
      if (known !== undefined && clock() - readAt < STATE_MILLISECONDS) return known
      readAt = clock()
      known = read()
      known.catch(forget)
      return known
    },
    forget,
  }
}

/** Returns the code of an error, because a message could contain words of the query. */
function nameError(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const { code } = (error.cause ?? error) as { readonly code?: unknown }
  return typeof code === 'string' ? `${error.name} ${code}` : error.name
}
