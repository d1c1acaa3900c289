import { availableParallelism } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'
import type { PromptDocument } from '@packs/codec/prompt'
import { createTaskThread, BuildTimeoutError, type TaskThread } from '@packs/threads'
import { exitStatus } from '../cli-error.ts'
import { locateModule } from '../package-files.ts'
import { diagnoseError } from '../output/report-error.ts'
import type { SetRequest, SetResponse } from '../prompt/compose-set.ts'
import type { BuildTask, BuiltSource } from './build-source.ts'

/** A source waiting to be built. */
export interface WaitingSource {
  readonly task: BuildTask
  readonly bytes: number
  readonly onBuilt: (built: BuiltSource) => void
}

export interface BuildPool {
  /**
   * Builds sources, nearly in their order. A source that fails or takes too long does not stop the
   * others. The next source is requested only while few are waiting.
   */
  build(sources: AsyncIterable<WaitingSource>): Promise<void>
  /**
   * Composes a prompt of pack documents.
   *
   * @throws BuildTimeoutError after `limit` seconds
   */
  compose(packs: readonly string[], limit: number): Promise<SetResponse>
  close(): Promise<void>
}

/** Largest build without a thread, in bytes of all its sources: starting a thread takes longer. */
const SMALL_BYTES = 32 * 1024
/**
 * Largest set of pack documents that is composed without a thread, in UTF-16 units. Documents are
 * about three times as large as their sources.
 */
const SMALL_SET = 3 * SMALL_BYTES
/**
 * Shortest limit of a build without a thread, in seconds. It counts from the start of the build; in
 * a thread, from the start of the thread.
 */
const SMALL_SECONDS = 1

/**
 * Bytes of source that justify one more thread, because each spends about 300 ms of a core loading
 * a tokenizer.
 */
const THREAD_BYTES = 128 * 1024
/** Most bytes of sources waiting in memory. */
const WAITING_BYTES = 32 * 1024 * 1024

const BUILD_WORKER = locateModule('build-run/build-worker')

/**
 * Creates threads for builds: one for small builds, and up to one per core for larger ones. The
 * main thread only reads and parses, so that it can handle signals, show progress and end a build
 * that takes too long. A few small sources are built in the main thread.
 *
 * @param seconds longest build of one source
 * @param script module that the threads run
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
        usesThreads ||= bytes > SMALL_BYTES || source.task.overrides.effort === 'best'
        if (usesThreads) startThread()
        await waitUntil(() => queue.bytes <= WAITING_BYTES)
      }
      if (!usesThreads) await buildInMain(queue)
      await waitUntil(() => queue.isEmpty)
      await Promise.all(running)
    },
    async compose(packs, limit) {
      const source = `a prompt of ${packs.length} packs`
      const most = Math.min(limit, seconds)
      const documents = packs.map((text) => JSON.parse(text) as PromptDocument)
      const request: SetRequest = { documents, options: {} }
      if (usesThreads || packs.reduce((sum, text) => sum + text.length, 0) > SMALL_SET) {
        return pool.run<SetResponse>(request, source, { seconds: most })
      }
      const { composeSet } = await import('../prompt/compose-set.ts')
      const response = await composeSet(request, (task) => runWithLimit(task, source, most))
      usesThreads = response.fault?.code === TIMEOUT
      return response
    },
    close: () => pool.close(),
  }

  /**
   * Hands the remaining sources to threads after a build was stopped, because modules may be in a
   * broken state.
   */
  async function buildInMain(queue: SourceQueue): Promise<void> {
    let next = queue.take(1)
    if (next === undefined) return
    const { buildSource } = await import('./build-source.ts')
    while (next !== undefined) {
      const { task, onBuilt } = next
      const built = await buildSource(task, (build) => runWithLimit(build, task.shown, seconds))
      onBuilt(built)
      usesThreads = built.messages.some(({ rule }) => rule === TIMEOUT)
      if (usesThreads) return
      // Signals are handled between two sources.
      await setImmediate()
      next = queue.take(1)
    }
  }
}

/** The rule of the message about a build that was stopped. */
const TIMEOUT: BuildTimeoutError['code'] = 'build_timeout'

/** Builds sources in a thread until there are no more. */
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

/** Where the script finds its task. */
const TASK = Symbol.for('packs.task')
const script = new Script("globalThis[Symbol.for('packs.task')]()")

/**
 * Runs a synchronous task in this thread, and stops it when it takes too long, even in an endless
 * loop. SIGINT ends the program. A stopped task may leave its modules in a broken state, so no
 * other task should use them.
 *
 * V8's optimizing compiler is off meanwhile: in a task under a second it costs more time than it
 * saves.
 *
 * A script of `node:vm` is the only JavaScript that can be stopped without a thread of its own.
 *
 * @param source name of the source in the error
 * @param seconds longest time of the task
 * @throws BuildTimeoutError
 */
export function runWithLimit<Result>(task: () => Result, source: string, seconds: number): Result {
  const holder = globalThis as { [TASK]?: () => Result }
  holder[TASK] = task
  setFlagsFromString('--no-opt')
  try {
    return script.runInThisContext({ timeout: Math.ceil(seconds * 1000), breakOnSigint: true }) as Result
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED') process.exit(exitStatus.interrupted)
    if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw new BuildTimeoutError(source, seconds)
    throw error
  } finally {
    setFlagsFromString('--opt')
    delete holder[TASK]
  }
}

/**
 * Waiting sources, handed out in order, so that the first results come first. A source as large as
 * one thread's share of all waiting sources is taken at once, so that no thread is left alone with
 * it at the end.
 */
export class SourceQueue {
  private readonly sources: (WaitingSource | undefined)[] = []
  private first = 0
  /** No waiting source is larger. */
  private most = 0
  /** Total size of the waiting sources. */
  bytes = 0

  get isEmpty(): boolean {
    return this.first === this.sources.length
  }

  add(source: WaitingSource): void {
    this.sources.push(source)
    this.bytes += source.bytes
    this.most = Math.max(this.most, source.bytes)
  }

  /** @param count number of threads */
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
