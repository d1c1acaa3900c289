import { statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { createTaskThread, type BuildTimeoutError } from '@packs/codec/task-thread'
import { locateModule } from '../locate-module.ts'
import type { BuildResult } from '../output/build-result.ts'
import { errorDiagnostic } from '../output/diagnostic.ts'
import { describeError } from '../output/report-error.ts'
import type { SetResponse } from '../prompt/compose-set.ts'
import type { BuildRequest } from './read-source.ts'

/** Threads that build sources. */
export interface BuildPool {
  /**
   * Builds sources. A source that fails, or takes too long, does not stop the others.
   *
   * @param onResult called with each result and the index of its request, in any order
   */
  build(requests: readonly BuildRequest[], onResult: OnResult): Promise<void>
  /**
   * Composes a prompt of pack documents.
   *
   * @throws BuildTimeoutError after `limit` seconds
   */
  compose(packs: readonly string[], limit: number): Promise<SetResponse>
  /** Ends the threads. */
  close(): Promise<void>
}

type OnResult = (index: number, result: BuildResult) => void

/** Largest build without a thread, in bytes of all its sources. A thread takes longer to start. */
const SMALL_BYTES = 32 * 1024
/** Largest set of pack documents that is composed without a thread, in UTF-16 units. They have about three times their sources. */
const SMALL_SET = 3 * SMALL_BYTES
/** Shortest limit of a build without a thread, in seconds. It starts with the build, that of a thread with its start. */
const SMALL_SECONDS = 1

/** Bytes of source for which one more thread pays: each takes about 300 ms of a core to load a tokenizer. */
const THREAD_BYTES = 128 * 1024

const BUILD_WORKER = locateModule('build-run/build-worker')

/**
 * Creates threads for builds: one for small builds, and up to one per core for larger ones. The main thread only waits, so that it
 * can handle signals, show progress and end a build that takes too long. A few small sources are built in the main thread.
 *
 * @param seconds longest build of one source
 * @param script module of the threads
 */
export function createBuildPool(seconds: number, script: URL = BUILD_WORKER): BuildPool {
  const pool = createTaskThread(script, seconds, { threads: availableParallelism() })
  let usesThreads = script !== BUILD_WORKER || seconds < SMALL_SECONDS
  return {
    async build(requests, onResult) {
      if (requests.length === 0) return
      const built = usesThreads || !areSmall(requests) ? 0 : await buildInMain(requests, onResult)
      if (built < requests.length) await buildInThreads(requests.slice(built), built, onResult)
    },
    async compose(packs, limit) {
      const source = `a prompt of ${packs.length} packs`
      const most = Math.min(limit, seconds)
      if (usesThreads || packs.reduce((sum, text) => sum + text.length, 0) > SMALL_SET) {
        return pool.run<SetResponse>({ packs }, source, { seconds: most })
      }
      const { composeHere } = await import('./build-here.ts')
      const response = await composeHere(packs, source, most)
      usesThreads = response.fault?.code === TIMEOUT
      return response
    },
    close: () => pool.close(),
  }

  /** Returns the number of sources that were built: fewer than all after one that was ended, since what it leaves may be unsound. */
  async function buildInMain(requests: readonly BuildRequest[], onResult: OnResult): Promise<number> {
    const { buildHere } = await import('./build-here.ts')
    for (const [index, request] of requests.entries()) {
      const result = await buildHere(request, seconds)
      onResult(index, result)
      usesThreads = result.messages.some(({ rule }) => rule === TIMEOUT)
      if (usesThreads) return index + 1
      // Signals are handled between two sources.
      await setImmediate()
    }
    return requests.length
  }

  /** @param offset index of the first request among all */
  async function buildInThreads(
    requests: readonly BuildRequest[],
    offset: number,
    onResult: OnResult,
  ): Promise<void> {
    usesThreads = true
    const sizes = requests.map(measureBytes)
    const count = countThreads(sizes)
    const take = createQueue(sizes, count)
    const start = (): Task | undefined => {
      const index = take()
      if (index === undefined) return undefined
      const request = requests[index]!
      const result = pool
        .run<BuildResult>(request, request.shown)
        .catch((error: unknown) => unbuiltResult(request, error))
      return { index, result }
    }
    const runs = Array.from({ length: count }, async () => {
      for (let task = start(); task !== undefined;) {
        const { index } = task
        const result = await task.result
        // The thread gets its next source before this thread deals with the result.
        task = start()
        onResult(offset + index, result)
      }
    })
    await Promise.all(runs)
  }
}

/** The rule of the message about a build that was ended. */
const TIMEOUT: BuildTimeoutError['code'] = 'build_timeout'

function areSmall(requests: readonly BuildRequest[]): boolean {
  const sizes = requests.map(measureBytes)
  // The size of what is no regular file is 0, and nobody knows how long it takes to read.
  const isKnown = sizes.every((size, at) => size > 0 && requests[at]!.overrides.effort !== 'best')
  return isKnown && sizes.reduce((sum, size) => sum + size, 0) <= SMALL_BYTES
}

interface Task {
  readonly index: number
  readonly result: Promise<BuildResult>
}

function countThreads(sizes: readonly number[]): number {
  const total = sizes.reduce((sum, size) => sum + size, 0)
  return Math.min(availableParallelism(), sizes.length, 1 + Math.floor(total / THREAD_BYTES))
}

/**
 * Returns a function that takes the next index, in order, so that the first results come first. A source that is as large as the
 * share of a thread in all that is left is taken at once, so that no thread is left alone with it at the end.
 *
 * @param count number of threads
 */
export function createQueue(sizes: readonly number[], count: number): () => number | undefined {
  const bySize = [...sizes.keys()].toSorted((a, b) => sizes[a]! - sizes[b]! || b - a)
  const taken = new Set<number>()
  let left = sizes.reduce((sum, size) => sum + size, 0)
  let first = 0
  return () => {
    while (taken.has(first)) first++
    while (taken.has(bySize.at(-1) ?? -1)) bySize.pop()
    const largest = bySize.at(-1)
    if (largest === undefined) return undefined
    const index = sizes[largest]! * count >= left ? largest : first
    taken.add(index)
    left -= sizes[index]!
    return index
  }
}

/** Returns the result of a source whose thread was ended or crashed. */
function unbuiltResult({ path, shown }: BuildRequest, error: unknown): BuildResult {
  const { code, message, hint } = describeError(error)
  const isCrash = code === 'internal'
  const advice = isCrash ? 'report this as a bug in pack; the other sources are built' : hint
  const messages = [errorDiagnostic(shown, code, message, advice)]
  return { path, shown, pack: null, slugPosition: null, text: null, messages }
}

/** Returns the size of a source, 0 if it is unknown. */
export function measureBytes({ path, bytes }: BuildRequest): number {
  return bytes?.length ?? statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
