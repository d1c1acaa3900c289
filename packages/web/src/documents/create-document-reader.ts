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
    const { version, part, scope, options, owner, admit } = request
    const { sequence, bytes } = version
    admit?.()
    const task = { sequence, part, scope, ...(options && { options }) }
    // Even a short text takes too long to compress in this thread.
    const result = await queue.run(documentWork, task, part === 'prompt' ? { owner } : { owner, bytes })
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
export function namePart({ version, part, scope, options }: Omit<PartRequest, 'owner'>): string {
  // The digest does not cover the signatures, which are added later.
  const signers = version.signatures.map(({ key_id }) => key_id).join('+')
  const { scheme = '', tokenizer = '' } = options ?? {}
  return `${FORMAT} ${version.pack_digest} ${signers} ${scope} ${part} ${scheme} ${tokenizer}`
}

function measure({ bytes, beginning, prompt }: DocumentPart): number {
  let units = (prompt?.text.length ?? 0) + (prompt?.rosetta.length ?? 0) + (beginning?.text.length ?? 0)
  for (const { id, title } of beginning?.headings ?? []) units += id.length + title.length
  return (bytes?.length ?? 0) + 2 * units + ENTRY_BYTES
}
