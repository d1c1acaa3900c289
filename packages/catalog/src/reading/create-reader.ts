import type { BodySlice, OutlinedSection } from '@packs/codec/sections'
import type { ReadingScope, SearchQuery } from '@packs/search'
import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Catalog } from '../open-catalog.ts'
import { createCatalogThread, type CatalogQueue } from '../threads/create-catalog-thread.ts'
import type { OutlinePage, SectionLookup } from './look-up-section.ts'
import {
  createSectionWork,
  type IndexPage,
  type SectionResults,
  type SectionTask,
  sectionWork,
} from './section-tasks.ts'

/** Decoded packs that are kept in this thread. */
const MAX_CACHED_BYTES = 32 * 1024 * 1024
/** Versions whose document sizes are kept. */
const MAX_SIZES = 50_000

/** Reads sections of versions, and searches them. */
export interface SectionReads {
  /** Returns some sections of a version; `undefined` for an unknown version. @throws CatalogError `catalog_damaged` */
  page(sequence: number, offset: number, limit: number): Promise<OutlinePage | undefined>
  /** Finds a section by its id; `undefined` for an unknown version. @throws CatalogError `catalog_damaged` */
  find(sequence: number, id: string): Promise<SectionLookup | undefined>
  /**
   * Returns the hits of a query in the index, with snippets of the text that the reader may see.
   *
   * @throws CatalogError `catalog_busy`, or another if the index is damaged
   */
  search(query: SearchQuery): Promise<IndexPage>
  /**
   * Returns a part of a version's body: the cheaper of plain text and the pack's own slice, or plain text for a reader of the
   * preview.
   *
   * @throws CatalogError `catalog_damaged`, which names the version, or `catalog_busy`
   * @throws RangeError if the part ends beyond what the reader may see
   */
  slice(
    sequence: number,
    part: Pick<OutlinedSection, 'start' | 'end'>,
    scope: ReadingScope,
  ): Promise<BodySlice>
  /**
   * Returns a part of a version's body as plain text.
   *
   * @throws CatalogError and RangeError as `slice` does
   */
  text(sequence: number, part: Pick<OutlinedSection, 'start' | 'end'>, scope: ReadingScope): Promise<string>
}

/** Reads sections. Large documents and the index are read in the thread of the reader. */
export interface SectionReader extends SectionReads {
  /** Returns the reads of an account or a network: owners take turns in the thread. */
  for(owner: string): SectionReads
}

/** Reads for one kind of readers: 64 tasks with documents and 64 with sections may wait, 16 of an owner. */
export interface Reads {
  readonly documents: CatalogQueue
  readonly sections: SectionReader
}

/** Reads documents, sections and the index for all of a server, in one thread. */
export interface Reader {
  /** For accounts, by the API and by agents. */
  readonly accounts: Reads
  /** For visitors of the pages. */
  readonly visitors: Reads
  /** Ends the thread. */
  close(): Promise<void>
}

/**
 * Creates a reader. It keeps the packs that it decoded last, up to 32 MiB, and up to 128 MiB in the thread.
 *
 * @example
 * const reader = createReader(catalog)
 * const { sections } = reader.accounts
 * const { section } = await sections.find(sequence, 'key-expiration')
 * const { content, rosetta } = await sections.slice(sequence, section, 'full')
 */
export function createReader(catalog: Catalog): Reader {
  const thread = createCatalogThread(catalog)
  // This thread may read several catalogs, so the packs that are kept in it belong to the reader.
  const ownWork = { ...sectionWork, work: createSectionWork(MAX_CACHED_BYTES) }
  const sizes = new LRUCache<number, number>({ max: MAX_SIZES })

  const createSections = (queue: CatalogQueue): SectionReader => {
    const runFor = async <Kind extends Exclude<SectionTask['kind'], 'search'>>(
      owner: string,
      task: Exclude<SectionTask, { readonly kind: 'search' }> & { readonly kind: Kind },
    ): Promise<SectionResults[Kind]> => {
      const bytes = sizes.get(task.sequence) ?? (await measureDocument(catalog, task.sequence))
      sizes.set(task.sequence, bytes)
      return (await queue.run(ownWork, task, { owner, bytes })) as SectionResults[Kind]
    }
    const readFor = (owner: string): SectionReads => ({
      page: (sequence, offset, limit) => runFor(owner, { kind: 'page', sequence, offset, limit }),
      find: (sequence, id) => runFor(owner, { kind: 'find', sequence, id }),
      search: async (query) => (await queue.run(ownWork, { kind: 'search', query }, { owner })) as IndexPage,
      slice: (sequence, { start, end }, scope) =>
        runFor(owner, { kind: 'slice', sequence, start, end, scope }),
      text: (sequence, { start, end }, scope) => runFor(owner, { kind: 'text', sequence, start, end, scope }),
    })
    return { ...readFor(''), for: readFor }
  }

  const createReads = (): Reads => ({
    documents: thread.createQueue(),
    sections: createSections(thread.createQueue()),
  })
  return { accounts: createReads(), visitors: createReads(), close: () => thread.close() }
}

/** Returns the bytes of a document; 0 for an unknown version. Neither database reads the document for this. */
async function measureDocument({ database }: Catalog, sequence: number): Promise<number> {
  const query = sql<{ bytes: number }>`
    select octet_length(document) as bytes from versions where sequence = ${sequence}`
  const { rows } = await query.execute(database.db)
  return rows[0]?.bytes ?? 0
}
