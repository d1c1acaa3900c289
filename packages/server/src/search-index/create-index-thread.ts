import { extname } from 'node:path'
import type { Catalog, IndexRun } from '@packs/catalog'
import { createTaskThread } from '@packs/codec/task-thread'
import { indexPart } from './index-part.ts'

/** The result of a part, or the code of its error. */
export type PartResponse = { readonly run: IndexRun } | { readonly code: string }

/** Indexes packs in a thread with a connection of its own, so that describing a large pack delays no request. */
export interface IndexThread {
  /** Indexes the next part. @throws PartError */
  next(): Promise<IndexRun>
  /** Waits for the part that is running, and ends the thread. */
  close(): Promise<void>
}

/** A part that failed; its code is that of the catalog's error. */
export class PartError extends Error {
  override readonly name = 'PartError'
  readonly code: string

  constructor(code: string) {
    super(`Indexing failed: ${code}`)
    this.code = code
  }
}

/** Seconds that a part may take. It has at most 20 packs, unless they are damaged. */
const PART_SECONDS = 600

/** Creates the thread. A catalog in memory, which no other thread can open, is indexed in this one. */
export function createIndexThread(catalog: Catalog): IndexThread {
  const url = catalog.database.url()
  if (url === null) return { next: () => indexPart(catalog), close: () => Promise.resolve() }
  const script = new URL(`./index-worker${extname(import.meta.url)}`, import.meta.url)
  const thread = createTaskThread(script, PART_SECONDS)
  return {
    async next() {
      const response = await thread.run<PartResponse>(url, 'the search index')
      if ('run' in response) return response.run
      throw new PartError(response.code)
    },
    close: () => thread.close(),
  }
}
