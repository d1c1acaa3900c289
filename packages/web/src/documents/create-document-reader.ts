import type { CatalogQueue, VersionRecord } from '@packs/catalog'
import { LRUCache } from 'lru-cache'
import { documentWork, type DocumentPart, type DocumentTask } from './read-document.ts'

export interface PartRequest extends Omit<DocumentTask, 'sequence'> {
  readonly version: Pick<VersionRecord, 'sequence' | 'pack_digest' | 'signatures' | 'bytes'>
  /** Network of the visitor; networks take turns. */
  readonly owner: string
}

/** Reads parts of documents, and caches the most recent ones. */
export interface DocumentReader {
  /**
   * @throws CatalogError `catalog_damaged`, or `catalog_busy` if too many large documents are being
   *   read, for all or for this owner
   */
  read(request: PartRequest): Promise<DocumentPart>
}

const MAX_CACHED_BYTES = 64 * 1024 * 1024
/** Estimated memory of a part besides its text. */
const ENTRY_BYTES = 1000

/** Creates a reader, which caches parts of at most 8 MiB, 64 MiB together. */
export function createDocumentReader(queue: CatalogQueue): DocumentReader {
  const cached = new LRUCache<string, DocumentPart>({
    maxSize: MAX_CACHED_BYTES,
    maxEntrySize: MAX_CACHED_BYTES / 8,
    sizeCalculation: measure,
  })
  const pending = new Map<string, Promise<DocumentPart>>()

  const readNew = async (key: string, request: PartRequest): Promise<DocumentPart> => {
    const { version, part, scope, owner } = request
    const { sequence, bytes } = version
    const result = await queue.run(documentWork, { sequence, part, scope }, { owner, bytes })
    cached.set(key, result)
    return result
  }

  return {
    async read(request) {
      const key = namePart(request)
      const known = cached.get(key)
      if (known !== undefined) return known
      const running = pending.get(key) ?? readNew(key, request).finally(() => pending.delete(key))
      pending.set(key, running)
      return running
    },
  }
}

/** Incremented when a release writes different bytes for the same part. */
const FORMAT = 1

/** Returns a string that identifies the bytes of a part, without reading them. */
export function namePart({ version, part, scope }: Omit<PartRequest, 'owner'>): string {
  // The digest does not cover the signatures, which are added later.
  const signers = version.signatures.map(({ key_id }) => key_id).join('+')
  return `${FORMAT} ${version.pack_digest} ${signers} ${scope} ${part}`
}

function measure({ bytes, beginning }: DocumentPart): number {
  if (bytes !== undefined) return bytes.length + ENTRY_BYTES
  const headings = beginning.headings.reduce((sum, { id, title }) => sum + id.length + title.length, 0)
  return 2 * (beginning.text.length + headings) + ENTRY_BYTES
}
