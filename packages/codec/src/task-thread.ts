import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** Longest build of one source in seconds, where no other limit is given. */
export const BUILD_SECONDS = 600

/** A build that took longer than its limit. Its thread has ended. */
export class BuildTimeoutError extends Error {
  override readonly name = 'BuildTimeoutError'
  readonly code = 'build_timeout'
  readonly hint: string = 'Split the source into several, or raise PACK_BUILD_SECONDS.'

  constructor(source: string, seconds: number) {
    super(`Building ${source} took longer than ${seconds} s`)
  }
}

/** A thread that runs one task at a time. It starts with the first task, and keeps the process alive only during tasks. */
export interface TaskThread {
  /**
   * Sends a request to the thread and waits for its response. A task that takes too long is ended with its thread, even in an
   * endless loop; the next task gets a new thread.
   *
   * @param source name of the source in the error
   * @param seconds longest time of the task
   * @throws BuildTimeoutError
   * @throws Error if the thread ends without a response
   */
  run<Response>(request: unknown, source: string, seconds?: number): Promise<Response>
  /** Ends the thread. */
  close(): Promise<void>
}

/**
 * Creates a thread for builds.
 *
 * @param script module that answers each message with one message
 * @param seconds longest time of a task
 */
export function createTaskThread(script: URL, seconds: number = BUILD_SECONDS): TaskThread {
  let worker: Worker | undefined
  let queue: Promise<unknown> = Promise.resolve()

  async function runNext<Response>(request: unknown, source: string, limit: number): Promise<Response> {
    const current = (worker ??= startWorker(script, () => (worker = undefined)))
    current.ref()
    try {
      const response = await callWorker(current, request, source, limit)
      current.unref()
      return response as Response
    } catch (error) {
      worker = undefined
      await current.terminate()
      throw error
    }
  }

  return {
    run<Response>(request: unknown, source: string, limit = seconds) {
      const response = queue.then(() => runNext<Response>(request, source, limit))
      queue = response.catch(() => undefined)
      return response
    },
    async close() {
      await queue
      await worker?.terminate()
      worker = undefined
    },
  }
}

/** @param onExit called when the thread has ended for any reason */
function startWorker(script: URL, onExit: () => void): Worker {
  const worker = new Worker(script)
  // A task gets the error of its thread itself.
  worker.on('error', () => undefined).once('exit', onExit)
  return worker
}

async function callWorker(
  worker: Worker,
  request: unknown,
  source: string,
  seconds: number,
): Promise<unknown> {
  const settled = new AbortController()
  const expired = Promise.withResolvers<never>()
  const timer = setTimeout(() => expired.reject(new BuildTimeoutError(source, seconds)), seconds * 1000)
  worker.postMessage(request)
  try {
    const { signal } = settled
    const responded = once(worker, 'message', { signal }) as Promise<[unknown]>
    const ended = once(worker, 'exit', { signal }).then(() => {
      throw new Error('the thread ended early')
    })
    const [response] = await Promise.race([responded, ended, expired.promise])
    return response
  } finally {
    clearTimeout(timer)
    settled.abort()
  }
}
