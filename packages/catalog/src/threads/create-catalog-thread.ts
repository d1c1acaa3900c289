import { extname } from 'node:path'
import { BuildTimeoutError, createTaskThread, ThreadEndedError } from '@packs/codec/task-thread'
import { CatalogError } from '../catalog-error.ts'
import type { Catalog } from '../catalog.ts'

/** Does one task with a catalog. It must not keep the buffers of its result, because they move to another thread. */
export type CatalogWork<Task, Result> = (catalog: Catalog, task: Task) => Promise<Result>

/** Settings of one task. */
export interface TaskOptions {
  /** Whom the task is for, such as an account or a network: owners take turns. @default nobody in particular */
  readonly owner?: string | undefined
  /** Whether it belongs to a response that has begun, and so may not be refused. */
  readonly isBegun?: boolean
  /** Ends the task: one that waits leaves the queue, and one that runs ends with its thread. */
  readonly signal?: AbortSignal
}

/** A thread with a read-only connection to the catalog of its own. */
export interface CatalogThread<Task, Result> {
  /**
   * Does a task in the thread, after all earlier ones of its owner.
   *
   * @throws CatalogError `catalog_busy` if too many tasks wait, and what the work throws
   * @throws the reason of the signal
   */
  run(task: Task, options?: TaskOptions): Promise<Result>
  /** Ends the thread. Tasks that are not done fail. */
  close(): Promise<void>
}

export interface CatalogThreadOptions<Task, Result> {
  /** Module that passes `work` to `serveCatalogTasks`, without its extension. */
  readonly module: URL
  /** Does the tasks of a database in memory, which no other thread can open, in this thread. */
  readonly work: CatalogWork<Task, Result>
  /** Tasks that may wait; an owner has a quarter of the places. @default 64 */
  readonly maxWaiting?: number
  /** Milliseconds that a task may take. @default 60,000 */
  readonly timeout?: number
  /** Creates the error of a task that took longer. @default a CatalogError `catalog_unavailable` */
  readonly timeoutError?: () => Error
}

/** A task as the thread gets it. */
export interface CatalogRequest<Task> {
  readonly url: string
  readonly task: Task
}

/** Megabytes of its heap. The largest document, every character escaped, takes a third of them. */
const MAX_HEAP_MB = 1024

/**
 * Creates a thread for work on large documents, so that reading, parsing and writing them does not block this one. It starts with
 * the first task, and again after a crash, which fails only the task that caused it.
 */
export function createCatalogThread<Task, Result>(
  catalog: Catalog,
  options: CatalogThreadOptions<Task, Result>,
): CatalogThread<Task, Result> {
  const { module, work, maxWaiting = 64, timeout = 60_000, timeoutError = threadEndedError } = options
  const url = catalog.database.url()
  const script =
    url === null
      ? ({ task }: CatalogRequest<Task>) => work(catalog, task)
      : new URL(`${module.href}${extname(import.meta.url)}`)
  const thread = createTaskThread(script, timeout / 1000, {
    places: maxWaiting,
    ownPlaces: Math.ceil(maxWaiting / 4),
    heapMb: MAX_HEAP_MB,
  })

  const explainError = (error: unknown): never => {
    if (error instanceof ThreadEndedError) throw threadEndedError()
    if (error instanceof BuildTimeoutError) throw timeoutError()
    throw reviveError(error)
  }

  return {
    async run(task, { owner = '', isBegun = false, signal } = {}) {
      if (!isBegun && !thread.hasPlace(owner)) throw busyError()
      return thread.run<Result>({ url, task }, 'a response', { owner, signal }).catch(explainError)
    },
    close: () => thread.terminate(),
  }
}

/** Returns the error that another thread threw. */
function reviveError(error: unknown): unknown {
  if (error instanceof CatalogError || !(error instanceof Error) || error.name !== 'CatalogError')
    return error
  const { code, message, hint, damaged } = error as CatalogError
  return new CatalogError(code, message, hint, { damaged })
}

/** Limits the bytes of large responses that are held in memory until slow clients have received them. */
export interface ByteBudget {
  /**
   * Takes bytes until the returned function is called.
   *
   * @param owner whom the response is for: beyond its first response it has at most a quarter of the bytes
   * @throws CatalogError `catalog_busy` if too few are left
   */
  take(bytes: number, owner: string): () => void
}

/** Creates a budget of at most `maxBytes`. */
export function createByteBudget(maxBytes: number): ByteBudget {
  const owned = new Map<string, number>()
  let taken = 0
  const change = (owner: string, by: number): void => {
    taken += by
    const own = (owned.get(owner) ?? 0) + by
    if (own > 0) owned.set(owner, own)
    else owned.delete(owner)
  }
  return {
    take(bytes, owner) {
      const own = owned.get(owner)
      if (taken + bytes > maxBytes || (own !== undefined && own + bytes > maxBytes / 4)) throw busyError()
      change(owner, bytes)
      let isTaken = true
      return () => {
        if (isTaken) change(owner, -bytes)
        isTaken = false
      }
    },
  }
}

function busyError(): CatalogError {
  const hint = 'Try again in a few seconds.'
  return new CatalogError('catalog_busy', 'Too many large packs are requested at the same time', hint)
}

function threadEndedError(): CatalogError {
  const hint = 'Try again. If it happens again, run `pack verify` on the version.'
  return new CatalogError('catalog_unavailable', 'The thread that reads documents ended', hint)
}
