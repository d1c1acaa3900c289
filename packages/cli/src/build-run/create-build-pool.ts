import { statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { createTaskThread, type TaskThread } from '@packs/codec/task-thread'
import type { BuildResult } from '../output/build-result.ts'
import { errorDiagnostic } from '../output/diagnostic.ts'
import { describeError } from '../output/report-error.ts'
import type { BuildRequest, SharedBuild } from './build-source.ts'

/** Threads that build sources. */
export interface BuildPool {
  /**
   * Builds sources and returns their results in the order of the requests. A source that fails, or takes too long, does not
   * stop the others.
   */
  build(requests: readonly BuildRequest[], onDone: () => void): Promise<BuildResult[]>
  /** Builds sources with one header. */
  buildShared(requests: readonly BuildRequest[]): Promise<SharedBuild>
  /** Ends the threads. */
  close(): Promise<void>
}

/** Total source bytes from which several threads pay: each needs about 300 ms to load a tokenizer. */
const PARALLEL_BYTES = 384 * 1024

const BUILD_WORKER = new URL(`./build-worker${extname(import.meta.url)}`, import.meta.url)

/**
 * Creates threads for builds: one for small builds, and one per core for larger ones. The main thread only waits, so that it
 * can handle signals, show progress and end a build that takes too long.
 *
 * @param seconds longest build of one source
 * @param script module of the threads
 */
export function createBuildPool(seconds: number, script: URL = BUILD_WORKER): BuildPool {
  const threads: TaskThread[] = []
  const getThread = (at: number): TaskThread => (threads[at] ??= createTaskThread(script, seconds))
  return {
    async build(requests, onDone) {
      const sizes = requests.map(measureBytes)
      const results: BuildResult[] = []
      const queue = [...requests.keys()].toSorted((a, b) => (sizes[a] ?? 0) - (sizes[b] ?? 0) || b - a)
      const isSmall = sizes.reduce((sum, size) => sum + size, 0) < PARALLEL_BYTES
      const count = isSmall ? 1 : Math.min(availableParallelism(), requests.length)
      // Each thread builds the largest source left until the queue is empty.
      const runs = Array.from({ length: count }, async (_, thread) => {
        for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
          const request = requests[at]!
          results[at] = await getThread(thread)
            .run<BuildResult>(request, request.shown)
            .catch((error: unknown) => unbuiltResult(request, error))
          onDone()
        }
      })
      await Promise.all(runs)
      return results
    },
    async buildShared(requests) {
      const source = `${requests.length} sources with one header`
      try {
        return await getThread(0).run<SharedBuild>(requests, source, seconds * requests.length)
      } catch (error) {
        return { results: requests.map((request) => unbuiltResult(request, error)), header: null }
      }
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.close()))
    },
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

function measureBytes({ path, bytes }: BuildRequest): number {
  return bytes?.length ?? statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
