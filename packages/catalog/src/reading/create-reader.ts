import { sql } from 'kysely'
import { CatalogError } from '../catalog-error.ts'
import type { Catalog } from '../open-catalog.ts'
import { createCatalogThread, type CatalogQueue } from './create-catalog-thread.ts'
import type { ContextQuery, IndexContext, IndexPage } from './search-texts.ts'
import { createSectionWork, sectionWork, type SectionReads, type SectionResult } from './section-tasks.ts'
import { LOCKED_TOKENS } from '@packs/codec/internal'
import { checkQuery, type ReadingScope, type SearchQuery } from '@packs/search'
import type { Difficulty } from '@packs/codec/pack'
import { damagedIndexError } from '../search-index/write-packs.ts'

/** Searches that may wait, of all owners and of one. */
const MAX_SEARCHES = 64
const MAX_PER_OWNER = 8
/** Milliseconds that a search may take. */
const SEARCH_MS = 2000
/** Loads the modules and the tokenizer that searches need. */
const FIRST_QUERY: ContextQuery = { text: 'pack', budget: 200, tokenizer: 'o200k_base', scope: 'full' }

/** Reads sections. Large documents and the index are read in the threads of the reader. */
export interface SectionReader extends SectionReads {
  /** Returns the reads of an account or a network: owners take turns in the thread. */
  for(owner: string): SectionReads
}

/** 64 tasks with documents, sections and searches each may wait; of an owner 16, 16 and 8. */
export interface Reads {
  readonly documents: CatalogQueue
  readonly sections: SectionReader
}

/** Documents and sections in one thread, the index in another: no document waits for a search. */
export interface Reader {
  /** For accounts, by the API and by agents. */
  readonly accounts: Reads
  /** For visitors of the pages. */
  readonly visitors: Reads
  close(): Promise<void>
}

/** Keeps packs that were decoded last: up to a 64th of the memory, in each thread a 32nd. */
export function createReader(catalog: Catalog, searchMs: number = SEARCH_MS): Reader {
  const thread = createCatalogThread(catalog)
  const searchThread = createCatalogThread(catalog, {
    timeout: searchMs,
    first: { module: sectionWork.module, task: { kind: 'context', parameters: [FIRST_QUERY] } },
    timeoutError: () => searchBusyError('The search took too long'),
  })
  const createSearchQueue = (): CatalogQueue =>
    searchThread.createQueue(MAX_SEARCHES, {
      maxPerOwner: MAX_PER_OWNER,
      createError: () => searchBusyError('Too many searches are waiting'),
    })
  // This thread may read several catalogs, so the packs that are kept in it belong to the reader.
  const ownWork = { ...sectionWork, work: createSectionWork((catalog.memory / 64) * 2 ** 20) }

  const createSections = (queue: CatalogQueue, searches: CatalogQueue): SectionReader => {
    const runFor = async <Kind extends 'page' | 'find' | 'slice' | 'text'>(
      owner: string,
      kind: Kind,
      parameters: Parameters<SectionReads[Kind]>,
    ): Promise<SectionResult<Kind>> => {
      const [sequence] = parameters
      const bytes = await measureDocument(catalog, sequence)
      return (await queue.run(ownWork, { kind, parameters }, { owner, bytes })) as SectionResult<Kind>
    }
    const readFor = (owner: string): SectionReads => ({
      page: (...parameters) => runFor(owner, 'page', parameters),
      find: (...parameters) => runFor(owner, 'find', parameters),
      search: async (...parameters) =>
        (await searches.run(ownWork, { kind: 'search', parameters }, { owner })) as SectionResult<'search'>,
      context: async (...parameters) =>
        (await searches.run(ownWork, { kind: 'context', parameters }, { owner })) as SectionResult<'context'>,
      slice: (...parameters) => runFor(owner, 'slice', parameters),
      text: (...parameters) => runFor(owner, 'text', parameters),
      whole: async (...parameters) => {
        const bytes = parameters[0].reduce((sum, version) => sum + version.bytes, 0)
        const task = { kind: 'whole', parameters } as const
        return (await queue.run(ownWork, task, { owner, bytes })) as SectionResult<'whole'>
      },
    })
    return { ...readFor(''), for: readFor }
  }

  const createReads = (): Reads => ({
    documents: thread.createQueue(),
    sections: createSections(thread.createQueue(), createSearchQueue()),
  })
  return {
    accounts: createReads(),
    visitors: createReads(),
    async close() {
      await Promise.all([thread.close(), searchThread.close()])
    },
  }
}

function searchBusyError(message: string): CatalogError {
  return new CatalogError('search_busy', message, 'Try again in a few seconds.')
}

/** Returns the bytes of a document, which neither database reads for this. */
async function measureDocument({ database }: Catalog, sequence: number): Promise<number> {
  const query = sql<{ bytes: number }>`
    select octet_length(document) as bytes from versions where sequence = ${sequence}`
  const { rows } = await query.execute(database.db)
  return rows[0]?.bytes ?? 0
}

export interface PackSearchQuery extends Omit<SearchQuery, 'scope'> {
  readonly difficulty?: Difficulty | undefined
}

/** A page of hits, best first. */
export type PackSearchPage = IndexPage

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
