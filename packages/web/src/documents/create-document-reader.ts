import type { CatalogQueue, VersionRecord } from '@packs/catalog'
import { LRUCache } from 'lru-cache'
import { documentWork, type DocumentPart, type DocumentTask } from './read-document.ts'

export interface PartRequest extends Omit<DocumentTask, 'sequence'> {
  readonly version: Pick<VersionRecord, 'sequence' | 'pack_digest' | 'signatures' | 'bytes'>
  /** Network of the visitor; networks take turns. */
  readonly owner: string
  /** Called before a part is read that is not cached. It may refuse by throwing. */
  readonly admit?: () => void
}

/** Reads parts of documents, and caches those used last. */
export interface DocumentReader {
  /**
   * @throws CatalogError `catalog_damaged`, or `catalog_busy` if too many large documents are being
   *   read, for all or for this owner
   */
  read(request: PartRequest): Promise<DocumentPart>
}

/** Creates a reader, which caches parts of at most 8 MiB. */
export function createDocumentReader(queue: CatalogQueue, cache: TextCache): DocumentReader {
  return {
    read(request) {
      const { version, part, scope, options, range, owner, admit } = request
      const load = async (): Promise<DocumentPart> => {
        const { sequence, bytes } = version
        admit?.()
        const task = { sequence, part, scope, ...(options && { options }), ...(range && { range }) }
        // Even a short text takes too long to compress in this thread.
        return queue.run(documentWork, task, part === 'prompt' ? { owner } : { owner, bytes })
      }
      return cache.obtain(namePart(request), load, measure)
    },
  }
}

/** Parts of documents and their renderings. Those used last are kept. */
export interface TextCache {
  /**
   * Returns the value of a key, or loads it, once for all who ask for it at the same time.
   *
   * @param measure returns the bytes of a value; 0 if it is not to be kept
   */
  obtain<Value extends object>(
    key: string,
    load: () => Promise<Value>,
    measure: (value: Value) => number,
  ): Promise<Value>
}

const MAX_CACHED_BYTES = 96 * 1024 * 1024
const MAX_ENTRY_BYTES = 8 * 1024 * 1024
/** Estimated memory of an entry besides its texts. */
const ENTRY_BYTES = 1000

/** Creates the cache of the pages' texts. */
export function createTextCache(): TextCache {
  const cached = new LRUCache<string, object>({ maxSize: MAX_CACHED_BYTES, maxEntrySize: MAX_ENTRY_BYTES })
  const pending = new Map<string, Promise<object>>()
  return {
    async obtain<Value extends object>(
      key: string,
      load: () => Promise<Value>,
      measure: (value: Value) => number,
    ) {
      const known = cached.get(key) ?? pending.get(key)
      if (known !== undefined) return known as Value | Promise<Value>
      const loadNew = async (): Promise<Value> => {
        const value = await load()
        const size = measure(value)
        if (size > 0) cached.set(key, value, { size: size + ENTRY_BYTES })
        return value
      }
      const running = loadNew().finally(() => pending.delete(key))
      pending.set(key, running)
      return running
    },
  }
}

/** Incremented when a release writes different bytes for the same part. */
const FORMAT = 2

/** Returns a string that identifies the bytes of a part, without reading them. */
export function namePart({ version, part, scope, options, range }: Omit<PartRequest, 'owner'>): string {
  // The digest does not cover the signatures, which are added later.
  const signers = version.signatures.map(({ key_id }) => key_id).join('+')
  const { scheme = '', tokenizer = '', links = '' } = options ?? {}
  const { start = '', end = '' } = range ?? {}
  return `${FORMAT} ${version.pack_digest} ${signers} ${scope} ${part} ${scheme} ${tokenizer} ${links} ${start} ${end}`
}

function measure({ bytes, beginning, prompt }: DocumentPart): number {
  let units = (prompt?.text.length ?? 0) + (prompt?.rosetta.length ?? 0) + (beginning?.text.length ?? 0)
  for (const { id, title } of beginning?.headings ?? []) units += id.length + title.length
  return (bytes?.length ?? 0) + 2 * units + 1
}
