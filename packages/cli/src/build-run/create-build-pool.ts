import { availableParallelism } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import type { PromptDocument } from '@packs/codec/compress'
import { createTaskThread, type TaskThread } from '@packs/threads'
import { locateModule } from '../package-files.ts'
import { diagnoseError } from '../output/report-error.ts'
import type { ComposedSet, SetRequest } from '../prompt/compose-set.ts'
import type { BuildTask, BuiltSource } from './build-source.ts'

export interface WaitingSource {
  readonly task: BuildTask
  readonly bytes: number
  readonly onBuilt: (built: BuiltSource) => void
}

export interface BuildPool {
  /** Builds sources, nearly in their order; requests the next one only while few are waiting. */
  build(sources: AsyncIterable<WaitingSource>): Promise<void>
  /** @throws errors of the codec, and BuildTimeoutError after `limit` seconds in a thread */
  compose(packs: readonly string[], limit: number): Promise<ComposedSet>
  close(): Promise<void>
}

/** Largest build without a thread, in bytes of all its sources: starting a thread takes longer. */
const SMALL_BYTES = 32 * 1024
/** In UTF-16 units: documents are about three times as large as their sources. */
const SMALL_SET = 3 * SMALL_BYTES
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
      const queue = new SourceQueue()
      const running = new Set<Promise<void>>()
      let bytes = 0
      const countThreads = (): number =>
        Math.min(availableParallelism(), 1 + Math.floor(bytes / THREAD_BYTES))
      const startThread = (): void => {
        if (running.size >= countThreads()) return
        const run = buildInThread(pool, () => queue.take(countThreads())).finally(() => running.delete(run))
        running.add(run)
      }
      const waitUntil = async (isReached: () => boolean): Promise<void> => {
        while (!isReached()) {
          startThread()
          await Promise.race(running)
        }
      }
      for await (const source of sources) {
        queue.add(source)
        bytes += source.bytes
        usesThreads ||= bytes > SMALL_BYTES
        if (usesThreads) startThread()
        await waitUntil(() => queue.bytes <= WAITING_BYTES)
      }
      if (!usesThreads) return buildInMain(queue)
      await waitUntil(() => queue.isEmpty)
      await Promise.all(running)
    },
    async compose(packs, limit) {
      const documents = packs.map((text) => JSON.parse(text) as PromptDocument)
      const request: SetRequest = { documents, options: {} }
      if (usesThreads || packs.reduce((sum, text) => sum + text.length, 0) > SMALL_SET) {
        const source = `a prompt of ${packs.length} packs`
        return pool.run<ComposedSet>(request, source, { seconds: Math.min(limit, seconds) })
      }
      const { composeSet } = await import('../prompt/compose-set.ts')
      return composeSet(request)
    },
    close: () => pool.close(),
  }
}

async function buildInMain(queue: SourceQueue): Promise<void> {
  // A build that the cache answers loads no compressor.
  if (queue.isEmpty) return
  const { buildSource } = await import('./build-source.ts')
  for (let next = queue.take(1); next !== undefined; next = queue.take(1)) {
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

/**
 * Waiting sources, handed out in order, so that the first results come first. A source as large as
 * one thread's share of all waiting sources is taken at once, so that none ends alone with it.
 */
export class SourceQueue {
  private readonly sources: (WaitingSource | undefined)[] = []
  private first = 0
  /** No waiting source is larger. */
  private most = 0
  bytes = 0

  get isEmpty(): boolean {
    return this.first === this.sources.length
  }

  add(source: WaitingSource): void {
    this.sources.push(source)
    this.bytes += source.bytes
    this.most = Math.max(this.most, source.bytes)
  }

  take(count: number): WaitingSource | undefined {
    const { sources } = this
    let at = this.first
    if (this.most * count >= this.bytes) {
      this.most = 0
      for (let next = this.first; next < sources.length; next++) {
        const { bytes } = sources[next] ?? { bytes: 0 }
        if (bytes <= this.most) continue
        this.most = bytes
        at = next
      }
      if (this.most * count < this.bytes) at = this.first
    }
    const source = sources[at]
    sources[at] = undefined
    this.bytes -= source?.bytes ?? 0
    while (this.first < sources.length && sources[this.first] === undefined) this.first++
    return source
  }
}
