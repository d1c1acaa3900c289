import { availableParallelism } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { createTaskThread, type TaskThread } from '@packs/threads'
import { locateModule } from '../package-files.ts'
import { diagnoseError } from '../output/report-error.ts'
import type { BuildTask, BuiltSource } from './build-source.ts'

export interface WaitingSource {
  readonly task: BuildTask
  readonly bytes: number
  readonly onBuilt: (built: BuiltSource) => void
}

export interface BuildPool {
  /** Builds sources in their order; requests the next one only while few are waiting. */
  build(sources: AsyncIterable<WaitingSource>): Promise<void>
  close(): Promise<void>
}

/** Largest build without a thread, in bytes of all its sources: starting a thread takes longer. */
const SMALL_BYTES = 32 * 1024
/** Shortest limit of a build without a thread, in seconds: only a thread can be ended. */
const SMALL_SECONDS = 1

/** Bytes that justify one more thread, because each spends 300 ms of a core on a tokenizer. */
const THREAD_BYTES = 128 * 1024
const WAITING_BYTES = 32 * 1024 * 1024

const BUILD_WORKER = locateModule('build-run/build-worker')

/**
 * Creates threads for builds: one for small builds, and up to one per core for larger ones. The
 * main thread reads and parses, handles signals, shows progress, and builds few small sources.
 */
export function createBuildPool(seconds: number, script: URL = BUILD_WORKER): BuildPool {
  const pool = createTaskThread(script, seconds, { threads: availableParallelism() })
  let usesThreads = script !== BUILD_WORKER || seconds < SMALL_SECONDS
  return {
    async build(sources) {
      const queue: WaitingSource[] = []
      let waiting = 0
      const take = (): WaitingSource | undefined => {
        const source = queue.shift()
        waiting -= source?.bytes ?? 0
        return source
      }
      const running = new Set<Promise<void>>()
      let bytes = 0
      const countThreads = (): number =>
        Math.min(availableParallelism(), 1 + Math.floor(bytes / THREAD_BYTES))
      const startThread = (): void => {
        if (running.size >= countThreads()) return
        const run = buildInThread(pool, take).finally(() => running.delete(run))
        running.add(run)
      }
      const waitUntil = async (isReached: () => boolean): Promise<void> => {
        while (!isReached()) {
          startThread()
          await Promise.race(running)
        }
      }
      for await (const source of sources) {
        queue.push(source)
        waiting += source.bytes
        bytes += source.bytes
        usesThreads ||= bytes > SMALL_BYTES
        if (usesThreads) startThread()
        await waitUntil(() => waiting <= WAITING_BYTES)
      }
      // A build that the cache answers loads no compressor.
      if (!usesThreads) return queue.length === 0 ? undefined : buildInMain(take)
      await waitUntil(() => queue.length === 0)
      await Promise.all(running)
    },
    close: () => pool.close(),
  }
}

async function buildInMain(take: () => WaitingSource | undefined): Promise<void> {
  const { buildSource } = await import('./build-source.ts')
  for (let next = take(); next !== undefined; next = take()) {
    next.onBuilt(await buildSource(next.task))
    // Signals are handled between two sources.
    await setImmediate()
  }
}

async function buildInThread(pool: TaskThread, take: () => WaitingSource | undefined): Promise<void> {
  const start = (): { onBuilt: WaitingSource['onBuilt']; built: Promise<BuiltSource> } | undefined => {
    const source = take()
    if (source === undefined) return undefined
    const { task, onBuilt } = source
    const built = pool
      .run<BuiltSource>(task, task.shown)
      .catch((error: unknown) => ({ pack: null, text: null, messages: [diagnoseError(error, task.shown)] }))
    return { onBuilt, built }
  }
  for (let build = start(); build !== undefined;) {
    const { onBuilt } = build
    const built = await build.built
    // The thread gets its next source before this thread handles the result.
    build = start()
    onBuilt(built)
  }
}
