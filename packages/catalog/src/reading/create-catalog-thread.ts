import { extname } from 'node:path'
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads'
import { loadTokenizer, type Tokenizer, type TokenizerName } from '@packs/codec/compress'
import { loadOnce } from '@packs/codec/internal'
import { BuildTimeoutError, createFairQueue, createTaskThread, ThreadEndedError } from '@packs/threads'
import { CatalogError } from '../catalog-error.ts'
import type { Catalog } from '../open-catalog.ts'

/** Does one task. It must not keep the buffer `bytes` of its result, which moves to a thread. */
export type CatalogWork<Task, Result> = (catalog: Catalog, task: Task) => Promise<Result>

export interface ThreadWork<Task, Result> {
  /** Address of a module that exports the work as `work`. */
  readonly module: string
  /** Does small tasks, and those of a database in memory, in the thread of the caller. */
  readonly work: CatalogWork<Task, Result>
}

export interface TaskOptions {
  /** Account or network that it is for: owners take turns. */
  readonly owner?: string | undefined
  /** Whether it belongs to a response that has begun, and so may not be refused. */
  readonly isBegun?: boolean
  /** Of the document that it reads: a small one is read in the thread of the caller. */
  readonly bytes?: number
  /** Ends the task: one that waits leaves the queue, and one that runs ends with its thread. */
  readonly signal?: AbortSignal
}

/** A thread with a read-only connection to the catalog of its own. */
export interface CatalogThread {
  /** Queues take turns in the thread, and so do the owners in each. */
  createQueue(maxWaiting?: number, limits?: QueueLimits): CatalogQueue
  /** Ends the thread. Tasks that are not done fail. */
  close(): Promise<void>
}

export interface QueueLimits {
  /** Tasks of one owner that may wait. @default a quarter of all */
  readonly maxPerOwner?: number
  /** Creates the error while nobody has a place. @default a CatalogError `catalog_busy` */
  readonly createError?: () => CatalogError
}

export interface CatalogQueue {
  /**
   * Does a task in the thread, after all earlier ones of its owner.
   * @throws CatalogError `too_many_at_once`, `catalog_busy` or that of the queue, and what
   *   the work throws
   * @throws the reason of the signal
   */
  run<Task, Result>(
    work: ThreadWork<Task, Result>,
    task: NoInfer<Task>,
    options?: TaskOptions,
  ): Promise<Result>
}

export interface CatalogThreadOptions {
  /** Milliseconds that a task may take. @default 60,000 */
  readonly timeout?: number
  /** Creates the error of a task that took longer. @default a CatalogError `catalog_unavailable` */
  readonly timeoutError?: () => Error
  /** What a new thread does first, without this time limit, so that tasks find all of it loaded. */
  readonly first?: Pick<CatalogRequest, 'module' | 'task'>
}

export interface CatalogRequest {
  readonly url: string
  readonly module: string
  readonly task: unknown
}

/** Larger documents are read in the thread. */
export const MAX_INLINE_BYTES: number = 128 * 1024

/** Least megabytes of its heap, which the largest document takes, every character escaped. */
const MIN_HEAP_MB = 512

/** A crash fails only the task that caused it; the thread starts again with the next one. */
export function createCatalogThread(
  catalog: Catalog,
  { timeout = 60_000, timeoutError = threadEndedError, first }: CatalogThreadOptions = {},
): CatalogThread {
  const url = catalog.database.url()
  const thread = createTaskThread(locateWorker('catalog'), timeout / 1000, {
    heapMb: Math.max(MIN_HEAP_MB, catalog.memory),
    ...(first && { first: { url, ...first } }),
  })
  let queues = 0

  const explainError = (error: unknown): never => {
    if (error instanceof ThreadEndedError) throw threadEndedError()
    if (error instanceof BuildTimeoutError) throw timeoutError()
    throw reviveError(error)
  }

  return {
    createQueue(
      maxWaiting = 64,
      { maxPerOwner = Math.ceil(maxWaiting / 4), createError = () => busyError(false) } = {},
    ) {
      const name = String(queues++)
      const queue = createFairQueue({ slots: maxWaiting, slotsPerOwner: maxPerOwner })
      return {
        async run<Task, Result>(
          { module, work }: ThreadWork<Task, Result>,
          task: Task,
          { owner = '', isBegun = false, bytes = Infinity, signal }: TaskOptions = {},
        ) {
          if (bytes <= MAX_INLINE_BYTES) return work(catalog, task)
          if (!isBegun && !queue.hasSlot(owner)) throw queue.hasSlot('') ? busyError(true) : createError()
          const perform = async (): Promise<Result> => {
            if (url === null) return work(catalog, task)
            await shareVocabulary()
            const request: CatalogRequest = { url, module, task }
            return thread.run<Result>(request, 'a response', { owner: name, signal }).catch(explainError)
          }
          return queue.run(owner, perform, signal)
        },
      }
    },
    close: () => thread.close(),
  }
}

function reviveError(error: unknown): unknown {
  if (error instanceof CatalogError || !(error instanceof Error) || error.name !== 'CatalogError')
    return error
  const { code, message, hint, damaged } = error as CatalogError
  return new CatalogError(code, message, hint, { damaged })
}

/** Limits the bytes of responses that are held until slow clients have received them. */
export interface ByteBudget {
  /**
   * Takes bytes until the returned function is called.
   * @param owner beyond its first response, an owner has at most a quarter of the bytes
   * @throws CatalogError `too_many_at_once` or `catalog_busy` if too few are left
   */
  take(bytes: number, owner: string): () => void
}

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
      const isOwn = own !== undefined && own + bytes > maxBytes / 4
      if (taken + bytes > maxBytes || isOwn) throw busyError(isOwn)
      change(owner, bytes)
      let isTaken = true
      return () => {
        if (isTaken) change(owner, -bytes)
        isTaken = false
      }
    },
  }
}

/** @param isOwn whether only its own account or network has used up its places */
export function busyError(isOwn: boolean): CatalogError {
  const hint = 'Try again in a few seconds.'
  return isOwn
    ? new CatalogError('too_many_at_once', 'Too many of your requests run at the same time', hint)
    : new CatalogError('catalog_busy', 'Too many large packs are requested at the same time', hint)
}

function threadEndedError(): CatalogError {
  const hint = 'Try again. If it happens again, run `pack verify` on the version.'
  return new CatalogError('catalog_unavailable', 'The thread that reads documents ended', hint)
}

function locateWorker(name: string): URL {
  return new URL(`./${name}-worker${extname(import.meta.url)}`, import.meta.url)
}

/** Of nearly all packs; others are loaded by each thread that needs one. */
const NAME = 'o200k_base'
const KEY = `vocabulary of ${NAME}`

/**
 * Makes the tables of the tokenizer for all threads of the process. Another thread builds them, as
 * the list that they are built from takes 20 MB for as long as the thread lasts that loaded it.
 */
const shareVocabulary = loadOnce(async () => {
  const thread = createTaskThread(locateWorker('vocabulary'))
  const { bytes } = await thread.run<{ readonly bytes: Uint8Array }>(NAME, 'the tokenizer')
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
  shared.set(bytes)
  setEnvironmentData(KEY, shared)
  await thread.close()
})

/** Loads a tokenizer from the tables that the threads share. */
export async function loadSharedTokenizer(name: TokenizerName): Promise<Tokenizer> {
  if (name === NAME && isMainThread) await shareVocabulary()
  const vocabulary = name === NAME ? getEnvironmentData(KEY) : undefined
  return loadTokenizer(name, vocabulary instanceof Uint8Array ? { vocabulary } : {})
}
