import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { CatalogError, type CatalogErrorCode, type DamagedVersion } from '../catalog-error.ts'
import type { Catalog } from '../catalog.ts'
import { createFairQueue } from './create-fair-queue.ts'

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

/** What the thread is started with. */
export interface ThreadData {
  readonly url: string
}

/** The response to a task. */
export type ThreadResponse<Result> = { readonly result: Result } | { readonly error: ThreadError }

/** An error as it passes between threads. */
export interface ThreadError {
  readonly name: string
  readonly message: string
  readonly stack: string | undefined
  /** Of a `CatalogError`. */
  readonly catalog?: { code: CatalogErrorCode; hint: string; damaged: DamagedVersion | undefined }
}

/** Milliseconds that the thread may take to start. */
const START_MS = 60_000
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
  let worker: Worker | undefined
  const queue = createFairQueue({ places: maxWaiting, ownPlaces: Math.ceil(maxWaiting / 4) })
  const unfinished = new Set<Promise<unknown>>()
  let isClosed = false

  const perform = async (task: Task, signal: AbortSignal | undefined): Promise<Result> => {
    signal?.throwIfAborted()
    if (isClosed) throw threadEndedError()
    if (url === null) return work(catalog, task)
    const isNew = worker === undefined
    worker ??= startWorker(module, url, () => (worker = undefined))
    const current = worker
    try {
      // The thread says when all modules are loaded, so that the time of a task does not include it.
      if (isNew) await receive(current, START_MS)
      signal?.throwIfAborted()
      const response = receive<ThreadResponse<Result>>(current, timeout, signal)
      current.postMessage(task)
      return readResponse(await response)
    } catch (error) {
      if (error instanceof ThreadEnd) {
        await current.terminate()
        signal?.throwIfAborted()
        throw error.isLate ? timeoutError() : threadEndedError()
      }
      throw error
    }
  }

  return {
    async run(task, { owner = '', isBegun = false, signal } = {}) {
      if (!isBegun && !queue.hasPlace(owner)) throw busyError()
      const done = queue.run(owner, () => perform(task, signal), signal)
      unfinished.add(done)
      return done.finally(() => unfinished.delete(done))
    },
    async close() {
      isClosed = true
      await worker?.terminate()
      await Promise.allSettled(unfinished)
    },
  }
}

/** @param onExit called when the thread has ended for any reason */
function startWorker(module: URL, url: string, onExit: () => void): Worker {
  const extension = extname(import.meta.url)
  const worker = new Worker(new URL(`${module.href}${extension}`), {
    workerData: { url } satisfies ThreadData,
    execArgv: extension === '.ts' ? ['--conditions=source'] : [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  })
  worker.on('error', () => {}).once('exit', onExit)
  worker.unref()
  return worker
}

/** The thread ended, took too long, or nobody waits for it any more. */
class ThreadEnd extends Error {
  readonly isLate: boolean

  constructor(isLate: boolean) {
    super()
    this.isLate = isLate
  }
}

/** Waits for the next message of the thread. @throws ThreadEnd */
function receive<Message>(worker: Worker, timeout: number, signal?: AbortSignal): Promise<Message> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: Message): void => end(() => resolve(message))
    const onExit = (): void => end(() => reject(new ThreadEnd(false)))
    const timer = setTimeout(() => end(() => reject(new ThreadEnd(true))), timeout)
    worker.once('message', onMessage).once('error', onExit).once('exit', onExit)
    signal?.addEventListener('abort', onExit)
    worker.ref()

    function end(finish: () => void): void {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onExit)
      worker.off('message', onMessage).off('error', onExit).off('exit', onExit)
      worker.unref()
      finish()
    }
  })
}

function readResponse<Result>(response: ThreadResponse<Result>): Result {
  if ('result' in response) return response.result
  const { name, message, stack, catalog } = response.error
  if (catalog !== undefined) {
    throw new CatalogError(catalog.code, message, catalog.hint, { damaged: catalog.damaged })
  }
  const error = new Error(message)
  throw Object.assign(error, { name, stack })
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
