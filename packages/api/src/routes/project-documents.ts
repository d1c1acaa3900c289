import {
  CatalogError,
  type CatalogQueue,
  type CatalogWork,
  type DamagedVersion,
  type TaskOptions,
} from '@packs/catalog'
import { digestNow, type DigestedBytes } from '../response-cache/body.ts'
import { projectPack, type Projection } from './pack-responses.ts'

/** A document to read, and the time of the last change of its pack. */
export interface DocumentName {
  readonly sequence: number
  readonly updated_at: string
}

/** Documents to serialize, or only to check. */
export interface DocumentTask {
  readonly documents: readonly DocumentName[]
  readonly projection: Projection
  readonly separator: string
  /** Whether to look only for damaged documents. */
  readonly isCheck: boolean
}

/** Serialized documents, without the damaged ones. */
export interface DocumentResult extends DigestedBytes {
  readonly damaged: readonly DamagedVersion[]
  /** What is wrong with the first damaged document. */
  readonly reason: string | null
}

/** Reads and serializes documents, large ones in the document worker. */
export interface DocumentReader {
  run(task: DocumentTask, options: TaskOptions): Promise<DocumentResult>
}

export function createDocumentReader(queue: CatalogQueue): DocumentReader {
  return {
    async run(task, options) {
      const { bytes, ...result } = await queue.run({ module: import.meta.url, work }, task, options)
      // Another thread sends a plain Uint8Array.
      return { ...result, bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) }
    },
  }
}

/** Reads and serializes documents, one at a time. */
export const work: CatalogWork<DocumentTask, DocumentResult> = async ({ packs }, task) => {
  const texts: Buffer[] = []
  const faults: CatalogError[] = []
  for (const { sequence, updated_at } of task.documents) {
    try {
      const version = await packs.read(sequence)
      if (version === undefined) throw new Error('A version that was found no longer exists')
      const text = projectPack({ ...version, updated_at }, task.projection)
      if (!task.isCheck) texts.push(Buffer.from(texts.length === 0 ? text : task.separator + text))
    } catch (error) {
      if (!(error instanceof CatalogError) || error.damaged === undefined) throw error
      faults.push(error)
    }
  }
  const [only] = texts
  const bytes = only !== undefined && texts.length === 1 ? only : Buffer.concat(texts)
  const damaged = faults.flatMap((fault) => fault.damaged ?? [])
  return { ...digestNow(bytes), damaged, reason: faults[0]?.message ?? null }
}
