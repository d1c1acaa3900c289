import { fork } from 'node:child_process'
import { once, type EventEmitter } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { createFairQueue } from './create-fair-queue.ts'
import type { Answer } from './serve-tasks.ts'

/** Default time limit for building one source, in seconds. */
const BUILD_SECONDS = 600

/** Time in seconds that a thread may always take to start. */
const START_SECONDS = 60

/** A build that took longer than its limit. Its thread was ended. */
export class BuildTimeoutError extends Error {
  override readonly name = 'BuildTimeoutError'
  readonly code = 'build_timeout'
  readonly hint: string = 'Split the source into several, or raise PACK_BUILD_SECONDS.'

  constructor(source: string, seconds: number) {
    super(`Building ${source} took longer than ${seconds} s`)
  }
}

/** A task whose thread ended before the task had a result. */
export class ThreadEndedError extends Error {
  override readonly name = 'ThreadEndedError'

  /** @param cause What ended the thread, if known. */
  constructor(cause?: unknown) {
    super('the thread ended early', { cause })
  }
}

export interface TaskOptions {
  /** Time limit of the task, without the start of its thread. @default that of the thread */
  readonly seconds?: number
  /** Whom the task is for, as an account or network; owners take turns. @default nobody */
  readonly owner?: string | undefined
  /** Aborts the task: removes it from the queue, or ends it along with its thread. */
  readonly signal?: AbortSignal | undefined
}

/** They start on demand, and keep the process alive only during tasks. */
export interface TaskThread {
  /** Whether there is a free slot for an owner. `run` accepts tasks even without one. */
  hasSlot(owner: string): boolean
  /**
   * Sends a request to the thread and waits for its response. A task that takes too long is ended
   * along with its thread, even in an endless loop; the next task gets a new thread. An error
   * thrown by the task keeps its name, message, stack and fields.
   * @throws {BuildTimeoutError}
   * @throws {ThreadEndedError} if the thread ends without a response
   * @throws the reason of the signal
   */
  run<Response>(request: unknown, source: string, options?: TaskOptions): Promise<Response>
  /** Ends the threads for good. Unfinished tasks fail. */
  close(): Promise<void>
}

export interface TaskThreadOptions {
  /**
   * Heap limit in megabytes. When one growing array exceeds it, a thread may take this whole
   * process down; a child process does not. @default no limit
   */
  readonly heapMb?: number
  /** Start a child process, without output. @default a thread */
  readonly isProcess?: boolean
  /** Environment of the process. @default empty */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Maximum number of threads. @default 1 */
  readonly threads?: number
  /** Maximum number of tasks waiting or running. @default unlimited */
  readonly slots?: number
  /** Maximum number of tasks of one owner waiting or running. @default unlimited */
  readonly slotsPerOwner?: number
  /**
   * A task that each thread does first, within the time that it may take to start, to load what
   * other tasks need. Its result is ignored.
   */
  readonly first?: unknown
}

/** @param script A module that calls `serveTasks`. */
export function createTaskThread(
  script: URL,
  seconds: number = BUILD_SECONDS,
  options: TaskThreadOptions = {},
): TaskThread {
  const queue = createFairQueue({ ...options, running: options.threads ?? 1 })
  const unfinished = new Set<Promise<unknown>>()
  const runners = new Set<Runner>()
  const idle = new Set<Runner>()
  let isClosed = false

  async function perform(
    request: unknown,
    source: string,
    { seconds: limit = seconds, signal }: TaskOptions,
  ): Promise<unknown> {
    signal?.throwIfAborted()
    if (isClosed) throw new ThreadEndedError()
    const [known] = idle
    const runner = known ?? start()
    idle.delete(runner)
    let answer: Answer
    try {
      if (known === undefined) {
        await receive(runner, source, Math.max(START_SECONDS, limit), signal)
        if (options.first !== undefined) {
          runner.post(options.first)
          await receive(runner, source, Math.max(START_SECONDS, limit), signal)
        }
      }
      signal?.throwIfAborted()
      runner.post(request)
      answer = await receive(runner, source, limit, signal)
    } catch (error) {
      await runner.end()
      throw error
    }
    idle.add(runner)
    if ('error' in answer) throw Object.assign(new Error(answer.error.message), answer.error)
    return answer.result
  }

  function start(): Runner {
    const runner = (options.isProcess === true ? startProcess : startThread)(script, options)
    runners.add(runner)
    // Without a listener the event would throw. Tasks receive the runner's errors themselves.
    runner.events.on('error', () => undefined)
    runner.events.once('exit', () => {
      runners.delete(runner)
      idle.delete(runner)
    })
    return runner
  }

  return {
    hasSlot: (owner) => queue.hasSlot(owner),
    run<Response>(request: unknown, source: string, task: TaskOptions = {}) {
      const { owner = '', signal } = task
      const done = queue.run(owner, () => perform(request, source, task), signal)
      unfinished.add(done)
      return done.finally(() => unfinished.delete(done)) as Promise<Response>
    },
    async close() {
      isClosed = true
      await Promise.all(Array.from(runners, (runner) => runner.end()))
      await Promise.allSettled(unfinished)
    },
  }
}

/** Waits for the next answer of a runner, which keeps the process alive only during this wait. */
function receive(
  runner: Runner,
  source: string,
  seconds: number,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const onMessage = (answer: Answer): void => finish(() => resolve(answer))
    const fail = (error: unknown): void => finish(() => reject(error))
    const onError = (cause: unknown): void => fail(new ThreadEndedError(cause))
    const onExit = (): void => fail(new ThreadEndedError())
    const onAbort = (): void => fail(signal?.reason)
    const timer = setTimeout(() => fail(new BuildTimeoutError(source, seconds)), seconds * 1000)
    runner.events.once('message', onMessage).once('error', onError).once('exit', onExit)
    signal?.addEventListener('abort', onAbort)
    runner.hold(true)

    function finish(settle: () => void): void {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      runner.events.off('message', onMessage).off('error', onError).off('exit', onExit)
      runner.hold(false)
      settle()
    }
  })
}

interface Runner {
  /** Emits `message`, `error` and `exit`. */
  readonly events: EventEmitter
  post(task: unknown): void
  /** Sets whether it keeps this process alive. */
  hold(isHeld: boolean): void
  /** Ends it, even if busy. */
  end(): Promise<unknown>
}

/** Node's arguments for a module of the sources. */
function listArguments(script: URL): string[] | undefined {
  return script.pathname.endsWith('.ts') ? ['--conditions=source'] : undefined
}

/** Part of the heap for new objects. By default it is 96 MB, which are kept once they were used. */
const YOUNG_SHARE = 40

function startThread(script: URL, { heapMb }: TaskThreadOptions): Runner {
  const execArgv = listArguments(script)
  const worker = new Worker(script, {
    ...(execArgv && { execArgv }),
    ...(heapMb !== undefined && {
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: heapMb / YOUNG_SHARE },
    }),
  })
  return {
    events: worker,
    post: (task) => worker.postMessage(task),
    hold: (isHeld) => (isHeld ? worker.ref() : worker.unref()),
    end: () => worker.terminate(),
  }
}

function startProcess(script: URL, { heapMb, env = {} }: TaskThreadOptions): Runner {
  const child = fork(fileURLToPath(script), {
    env,
    execArgv: [
      ...(listArguments(script) ?? []),
      ...(heapMb === undefined
        ? []
        : [
            `--max-old-space-size=${heapMb}`,
            // Three of these make the young generation.
            `--max-semi-space-size=${Math.ceil(heapMb / YOUNG_SHARE / 3)}`,
          ]),
    ],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const hold = (isHeld: boolean): void => {
    for (const part of [child, child.channel]) {
      if (isHeld) part?.ref()
      else part?.unref()
    }
  }
  return {
    events: child,
    post: (task) => child.send(task as object),
    hold,
    async end() {
      // A process that could not be started has no pid.
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
      hold(true)
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}
