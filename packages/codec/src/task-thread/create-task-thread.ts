import { createFairQueue } from './create-fair-queue.ts'
import type { Answer } from './serve-tasks.ts'
import { startRunner, type Runner, type RunnerOptions } from './start-runner.ts'

/** Longest build of one source in seconds, where no other limit is given. */
export const BUILD_SECONDS = 600

/** Least time in seconds that a thread may take to start. */
const START_SECONDS = 60

/** A build that took longer than its limit. Its thread has ended. */
export class BuildTimeoutError extends Error {
  override readonly name = 'BuildTimeoutError'
  readonly code = 'build_timeout'
  readonly hint: string = 'Split the source into several, or raise PACK_BUILD_SECONDS.'

  constructor(source: string, seconds: number) {
    super(`Building ${source} took longer than ${seconds} s`)
  }
}

/** A task whose thread ended before it had a result. */
export class ThreadEndedError extends Error {
  override readonly name = 'ThreadEndedError'

  /** @param cause what ended the thread, if that is known */
  constructor(cause?: unknown) {
    super('the thread ended early', { cause })
  }
}

/** Settings of one task. */
export interface TaskOptions {
  /** Longest time of the task, without the start of its thread. @default that of the thread */
  readonly seconds?: number
  /**
   * Whom the task is for, such as an account or a network: owners take turns. @default nobody in
   * particular
   */
  readonly owner?: string | undefined
  /** Ends the task: one that waits leaves the queue, and one that runs ends with its thread. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Threads that run one task each at a time. They start when tasks need them, and keep the process
 * alive only during tasks.
 */
export interface TaskThread {
  /**
   * Whether there is a place for one more task of an owner. A place that is missing refuses nothing
   * in `run`.
   */
  hasSlot(owner: string): boolean
  /**
   * Sends a request to the thread and waits for its response. A task that takes too long is ended
   * with its thread, even in an endless loop; the next task gets a new thread. An error of the task
   * has the name, message, stack and fields that it has there.
   *
   * @param source name of the source in the error
   * @throws BuildTimeoutError
   * @throws ThreadEndedError if the thread ends without a response
   * @throws the reason of the signal
   */
  run<Response>(request: unknown, source: string, options?: TaskOptions): Promise<Response>
  /** Waits for all tasks, and ends the threads. */
  close(): Promise<void>
  /** Ends the threads for ever. Tasks that are not done fail. */
  terminate(): Promise<void>
}

/** Settings of {@link createTaskThread}. */
export interface TaskThreadOptions extends RunnerOptions {
  /** Most threads. @default 1 */
  readonly threads?: number
  /** Tasks that wait or run. @default unlimited */
  readonly slots?: number
  /** Tasks of one owner that wait or run. @default unlimited */
  readonly slotsPerOwner?: number
}

/**
 * Creates a thread, or a process that is used like one.
 *
 * @param script module that calls `serveTasks`, or a function that does the tasks in this thread
 * @param seconds longest time of a task
 * @example
 * const thread = createTaskThread(new URL('./count-worker.js', import.meta.url), 10)
 * const words = await thread.run<number>(text, 'notes.md')
 */
export function createTaskThread(
  script: URL | ((request: never) => Promise<unknown>),
  seconds: number = BUILD_SECONDS,
  options: TaskThreadOptions = {},
): TaskThread {
  const queue = createFairQueue({ ...options, running: options.threads ?? 1 })
  const unfinished = new Set<Promise<unknown>>()
  const runners = new Set<Runner>()
  const idle = new Set<Runner>()
  let isTerminated = false

  async function perform(
    request: unknown,
    source: string,
    { seconds: limit = seconds, signal }: TaskOptions,
  ): Promise<unknown> {
    signal?.throwIfAborted()
    if (isTerminated) throw new ThreadEndedError()
    if (!(script instanceof URL)) return script(request as never)
    const [known] = idle
    const runner = known ?? start(script)
    idle.delete(runner)
    let answer: Answer
    try {
      if (known === undefined) await receive(runner, source, Math.max(START_SECONDS, limit), signal)
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

  function start(module: URL): Runner {
    const runner = startRunner(module, options)
    runners.add(runner)
    runner.events.once('exit', () => {
      runners.delete(runner)
      idle.delete(runner)
    })
    return runner
  }

  async function end(): Promise<void> {
    idle.clear()
    await Promise.all(Array.from(runners, (runner) => runner.end()))
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
      await Promise.allSettled(unfinished)
      await end()
    },
    async terminate() {
      isTerminated = true
      await end()
      await Promise.allSettled(unfinished)
    },
  }
}

/** Waits for the next answer of a runner, which keeps the process alive only meanwhile. */
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
