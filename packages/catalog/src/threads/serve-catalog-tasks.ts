import { setPriority } from 'node:os'
import { parentPort, workerData, type Transferable } from 'node:worker_threads'
import { CatalogError } from '../catalog-error.ts'
import type { Catalog } from '../catalog.ts'
import { openCatalog } from '../open-catalog.ts'
import type { CatalogWork, ThreadData, ThreadError, ThreadResponse } from './create-catalog-thread.ts'

/**
 * Nice value of the thread: the thread that answers requests goes first. A higher value would leave it no time on a busy machine.
 */
const NICENESS = 5

/**
 * Does the tasks of {@link createCatalogThread} in the thread that this is called in.
 *
 * @param listTransfers returns the buffers of a result, which are moved instead of copied
 */
export function serveCatalogTasks<Task, Result>(
  work: CatalogWork<Task, Result>,
  listTransfers: (result: Result) => readonly Uint8Array[],
): void {
  const { url } = workerData as ThreadData
  let opened: Promise<Catalog> | undefined
  lowerPriority()

  parentPort?.on('message', (task: Task) => void respond(task))
  parentPort?.postMessage('ready')

  async function respond(task: Task): Promise<void> {
    try {
      opened ??= openCatalog({ url, readOnly: true })
      const result = await work(await opened.catch(forget), task)
      const buffers = listTransfers(result).flatMap(({ buffer, byteLength }) =>
        // A smaller one shares its memory with others.
        buffer.byteLength === byteLength && buffer instanceof ArrayBuffer ? [buffer] : [],
      )
      post({ result }, buffers)
    } catch (error) {
      post({ error: describeError(error) }, [])
    }
  }

  /** The next task tries to open the catalog again. */
  function forget(error: unknown): never {
    opened = undefined
    throw error
  }

  function post(response: ThreadResponse<Result>, transfers: Transferable[]): void {
    parentPort?.postMessage(response, transfers)
  }
}

/** Only Linux has a priority for each thread; elsewhere it would be that of the process. */
function lowerPriority(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(NICENESS)
  } catch {
    // The thread is only less considerate.
  }
}

function describeError(error: unknown): ThreadError {
  if (!(error instanceof Error)) return { name: 'Error', message: 'unknown', stack: undefined }
  const { name, message, stack } = error
  if (!(error instanceof CatalogError)) return { name, message, stack }
  const { code, hint, damaged } = error
  return { name, message, stack, catalog: { code, hint, damaged } }
}
