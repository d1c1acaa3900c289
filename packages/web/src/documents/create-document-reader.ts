import { type CatalogQueue, createLoadingCache, type LoadingCache, type VersionRecord } from '@packs/catalog'
import { documentWork, type DocumentPart, type DocumentTask } from './read-document.ts'

export interface PartRequest extends Omit<DocumentTask, 'sequence'> {
  readonly version: VersionRecord
  /** Network of the visitor; networks take turns. */
  readonly owner: string
  /** Called before a part is read that is not cached. It may refuse by throwing. */
  readonly admit?: () => void
}

/** Reads parts of documents, and caches those used last. */
export interface DocumentReader {
  /** @throws CatalogError `catalog_damaged`; `catalog_busy` if too many large ones are read */
  read(request: PartRequest): Promise<DocumentPart>
}

export function createDocumentReader(queue: CatalogQueue, cache: LoadingCache): DocumentReader {
  return {
    read(request) {
      const { version, part, scope, options, place, owner, admit } = request
      const load = async (): Promise<DocumentPart> => {
        const { sequence, bytes } = version
        admit?.()
        const task = { sequence, part, scope, ...(options && { options }), ...(place && { place }) }
        // Even a short text takes too long to compress in this thread.
        return queue.run(documentWork, task, part === 'prompt' ? { owner } : { owner, bytes })
      }
      return cache.obtain(namePart(request), load, measure)
    },
  }
}

const MAX_ENTRY_BYTES = 8 * 1024 * 1024

/** @param maxBytes of all texts */
export function createTextCache(maxBytes: number): LoadingCache {
  return createLoadingCache(maxBytes, MAX_ENTRY_BYTES)
}

/** Incremented when a release writes different bytes for the same part. */
const FORMAT = 3

/** Returns a string that identifies the bytes of a part, without reading them. */
export function namePart({ version, part, scope, options, place }: Omit<PartRequest, 'owner'>): string {
  // The digest does not cover the signatures, which are added later. A preview's tag shows neither.
  const signers = version.signatures.map(({ key_id }) => key_id).join('+')
  const named = `${version.slug}@${version.version} ${version.published_at}`
  const { scheme = '', links = '' } = options ?? {}
  const { section, number = '' } = place ?? {}
  const asked = section === undefined ? '' : JSON.stringify(section)
  const what = scope === 'full' ? `${version.pack_digest} ${signers}` : named
  return `${FORMAT} ${what} ${scope} ${part} ${scheme} ${links} ${number} ${asked}`
}

function measure({ bytes, page, prompt }: DocumentPart): number {
  let units = (prompt?.text.length ?? 0) + (prompt?.rosetta.length ?? 0) + (page?.text.length ?? 0)
  for (const { id, title } of page?.contents ?? []) units += id.length + title.length
  for (const { id, title } of page?.headings ?? []) units += id.length + title.length
  for (const id of page?.otherIds ?? []) units += id.length
  return (bytes?.length ?? 0) + 2 * units + 1
}
