import type { BodySlice, OutlinedSection } from '@packs/codec/sections'
import type { ReadingScope, SearchQuery } from '@packs/search'
import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Catalog } from '../catalog.ts'
import { createCatalogThread } from '../threads/create-catalog-thread.ts'
import type { OutlinePage, SectionLookup } from './look-up-section.ts'
import {
  createSectionWork,
  type IndexPage,
  type SectionResult,
  type SectionResults,
  type SectionTask,
} from './section-tasks.ts'

/** Larger documents are read in a thread. */
const MAX_OWN_BYTES = 128 * 1024
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

/** A thread of its own reads large documents and searches. */
export interface SectionReader extends SectionReads {
  /** Returns the reads of an account or a network: owners take turns in the thread. */
  for(owner: string): SectionReads
  /** Ends the thread. */
  close(): Promise<void>
}

/**
 * Creates a reader of sections. It keeps the packs that it decoded last, up to 32 MiB, and up to 128 MiB in the thread.
 *
 * @example
 * const reader = createSectionReader(catalog)
 * const { section } = await reader.find(sequence, 'key-expiration')
 * const { content, rosetta } = await reader.slice(sequence, section, 'full')
 */
export function createSectionReader(catalog: Catalog): SectionReader {
  const module = new URL('./section-worker', import.meta.url)
  const work = createSectionWork(MAX_CACHED_BYTES)
  const thread = createCatalogThread<SectionTask, SectionResult>(catalog, { module, work })
  const sizes = new LRUCache<number, number>({ max: MAX_SIZES })

  const runFor = async <Kind extends Exclude<SectionTask['kind'], 'search'>>(
    owner: string,
    task: Exclude<SectionTask, { readonly kind: 'search' }> & { readonly kind: Kind },
  ): Promise<SectionResults[Kind]> => {
    const size = sizes.get(task.sequence) ?? (await measureDocument(catalog, task.sequence))
    sizes.set(task.sequence, size)
    const result = size <= MAX_OWN_BYTES ? work(catalog, task) : thread.run(task, { owner })
    return (await result) as SectionResults[Kind]
  }

  const readFor = (owner: string): SectionReads => ({
    page: (sequence, offset, limit) => runFor(owner, { kind: 'page', sequence, offset, limit }),
    find: (sequence, id) => runFor(owner, { kind: 'find', sequence, id }),
    search: async (query) => (await thread.run({ kind: 'search', query }, { owner })) as IndexPage,
    slice: (sequence, { start, end }, scope) => runFor(owner, { kind: 'slice', sequence, start, end, scope }),
    text: (sequence, { start, end }, scope) => runFor(owner, { kind: 'text', sequence, start, end, scope }),
  })

  return { ...readFor(''), for: readFor, close: () => thread.close() }
}

/** Returns the bytes of a document; 0 for an unknown version. Neither database reads the document for this. */
async function measureDocument({ database }: Catalog, sequence: number): Promise<number> {
  const query = sql<{ bytes: number }>`
    select octet_length(document) as bytes from versions where sequence = ${sequence}`
  const { rows } = await query.execute(database.db)
  return rows[0]?.bytes ?? 0
}
