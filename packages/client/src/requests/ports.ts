import { createError } from '../client-error.ts'

/** What the client needs from the runtime. Tests replace it. */
export interface Ports {
  readonly fetch: typeof fetch
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** From 0 to 1. */
  readonly random: () => number
  /** Waits; rejects with the reason of the signal. */
  readonly wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>
}

export const defaultPorts: Ports = {
  // Read at each call, and called without `this`, as browsers demand.
  fetch: (...request) => fetch(...request),
  now: () => Date.now(),
  random: () => Math.random(),
  wait: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, milliseconds)
      signal?.addEventListener('abort', () => {
        clearTimeout(timer)
        reject(signal.reason as Error)
      })
    }),
}

/**
 * Runs work until it ends, the signal aborts or the time is up. The signal passed to the work is
 * aborted when its result is no longer needed.
 *
 * @throws {ClientError} `timeout`
 * @throws the reason of the signal
 */
export async function limitTime<T>(
  { wait }: Ports,
  milliseconds: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const controller = new AbortController()
  const abort = (): void => controller.abort(signal?.reason)
  signal?.addEventListener('abort', abort)
  const expire = async (): Promise<never> => {
    // Rejects when the signal aborts.
    await wait(milliseconds, controller.signal)
    throw createError('timeout', `No complete answer within ${milliseconds} ms`)
  }
  try {
    return await Promise.race([work(controller.signal), expire()])
  } finally {
    signal?.removeEventListener('abort', abort)
    controller.abort()
  }
}
