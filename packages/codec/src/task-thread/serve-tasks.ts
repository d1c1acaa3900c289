import module from 'node:module'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'

/** What a thread answers to a task; the first answer says that all of its modules are loaded. */
export type Answer = { readonly result: unknown } | { readonly error: PlainError }

/** An error as it passes between threads, with its own fields. */
export interface PlainError {
  readonly name: string
  readonly message: string
  readonly stack: string | undefined
}

/**
 * Does the tasks of `createTaskThread` in the thread or process that this is called in. Between
 * tasks it waits; a task that waits for something that cannot come ends the thread.
 *
 * @param work does a task. A buffer in the field `bytes` of its result is moved, so it must not be
 *   kept.
 * @example
 * serveTasks((text: string) => countWords(text))
 */
export function serveTasks<Task>(work: (task: Task) => unknown): void {
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
    // The thread may be ended at any time after it has answered, and then it writes nothing to the cache of compiled modules.
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

/**
 * Lets other threads go first. Only Linux has a priority for each thread; elsewhere it would be
 * that of the process.
 *
 * @param niceness from 1 to 19; a thread with a high one may get no time on a busy machine
 */
export function lowerPriority(niceness: number): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(niceness)
  } catch {
    // The thread is only less considerate.
  }
}

function listBuffers(result: unknown): ArrayBuffer[] {
  const { bytes } = (result ?? {}) as { readonly bytes?: unknown }
  if (!(bytes instanceof Uint8Array) || !(bytes.buffer instanceof ArrayBuffer)) return []
  // A smaller one shares its memory with others.
  return bytes.buffer.byteLength === bytes.byteLength ? [bytes.buffer] : []
}

function describeError(error: unknown): PlainError {
  if (!(error instanceof Error)) return { name: 'Error', message: 'unknown', stack: undefined }
  const { name, message, stack } = error
  try {
    return structuredClone({ ...Object.fromEntries(Object.entries(error)), name, message, stack })
  } catch {
    // Some field cannot pass between threads.
    return { name, message, stack }
  }
}
