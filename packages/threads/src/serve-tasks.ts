import module from 'node:module'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'

/** A thread's answer to a task. The first answer means that all of its modules are loaded. */
export type Answer = { readonly result: unknown } | { readonly error: PlainError }

/** An error as sent between threads, with its own fields. */
export interface PlainError {
  readonly name: string
  readonly message: string
  readonly stack: string | undefined
}

/**
 * Runs the tasks of `createTaskThread` in the current thread or process, one at a time. If a task
 * awaits something that can never happen, the thread ends.
 * @param work Runs a task. A buffer in the `bytes` field of its result is transferred, so it must
 *   not be used again.
 * @param niceness From 1 to 19, to let other threads go first. Only on Linux, where each thread has
 *   its own; elsewhere it would affect the whole process. With a high value a thread may get no
 *   time on a busy machine.
 */
export function serveTasks<Task>(work: (task: Task) => unknown, niceness = 0): void {
  try {
    if (niceness > 0 && process.platform === 'linux') setPriority(niceness)
  } catch {
    // The thread just keeps its priority.
  }
  send({ result: undefined })

  async function answer(task: Task): Promise<void> {
    try {
      const result = await work(task)
      send({ result }, listBuffers(result))
    } catch (error) {
      send({ error: describeError(error) })
    }
  }

  function send(message: Answer, buffers: ArrayBuffer[] = []): void {
    // Flush now: the thread may be ended any time after it answers, without writing the compile cache.
    module.flushCompileCache?.()
    const listener = (task: Task): void => void answer(task)
    if (parentPort === null) {
      process.send?.(message)
      process.once('message', listener)
    } else {
      parentPort.postMessage(message, buffers)
      parentPort.once('message', listener)
    }
  }
}

function listBuffers(result: unknown): ArrayBuffer[] {
  const { bytes } = (result ?? {}) as { readonly bytes?: unknown }
  if (!(bytes instanceof Uint8Array) || !(bytes.buffer instanceof ArrayBuffer)) return []
  // A smaller array shares its buffer with others.
  return bytes.buffer.byteLength === bytes.byteLength ? [bytes.buffer] : []
}

function describeError(error: unknown): PlainError {
  if (!(error instanceof Error)) return { name: 'Error', message: 'unknown', stack: undefined }
  const { name, message, stack } = error
  try {
    return structuredClone({ ...Object.fromEntries(Object.entries(error)), name, message, stack })
  } catch {
    // Some field cannot be cloned.
    return { name, message, stack }
  }
}
