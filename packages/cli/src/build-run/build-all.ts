import { once } from 'node:events'
import { statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { BuildResult } from '../output/build-result.ts'
import { errorDiagnostic } from '../output/diagnostic.ts'
import type { BuildRequest } from './build-source.ts'

/** Total source bytes from which workers pay: each needs about 300 ms to load a tokenizer. */
const WORKER_BYTES = 384 * 1024

/**
 * Builds sources and returns their results in the order of the requests. A source that fails does not stop the others.
 *
 * Small builds run in this thread. Larger ones run in worker threads, one per core, so that this thread can handle signals
 * and show progress meanwhile.
 */
export async function buildAll(
  requests: readonly BuildRequest[],
  onDone: () => void,
): Promise<BuildResult[]> {
  if (isSmallBuild(requests)) return buildInThisThread(requests, onDone)
  const sizes = requests.map(measureBytes)
  const results: BuildResult[] = []
  const queue = [...requests.keys()].toSorted((a, b) => (sizes[a] ?? 0) - (sizes[b] ?? 0) || b - a)
  const threads = Array.from({ length: Math.min(availableParallelism(), requests.length) }, () =>
    processQueue(queue, requests, (at, result) => {
      results[at] = result
      onDone()
    }),
  )
  await Promise.all(threads)
  return results
}

async function buildInThisThread(
  requests: readonly BuildRequest[],
  onDone: () => void,
): Promise<BuildResult[]> {
  const { buildSource } = await import('./build-source.ts')
  const results: BuildResult[] = []
  for (const request of requests) {
    results.push(await buildSource(request))
    onDone()
    await yieldToSignals()
  }
  return results
}

/**
 * Lets a signal that arrived during a blocking build end the program before anything is written. The first turn of the
 * event loop may end before it polls for signals; the second cannot.
 */
async function yieldToSignals(): Promise<void> {
  await setImmediate()
  await setImmediate()
}

/** Builds the largest source left until the queue is empty. A worker that crashes loses only its current source. */
async function processQueue(
  queue: number[],
  requests: readonly BuildRequest[],
  onResult: (at: number, result: BuildResult) => void,
): Promise<void> {
  let worker: Worker | undefined
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    const request = requests[at]!
    worker ??= startWorker()
    try {
      onResult(at, await callWorker<BuildResult>(worker, request))
    } catch (error) {
      onResult(at, crashedResult(request, error, 'report this as a bug in pack; the other sources are built'))
      await worker.terminate()
      worker = undefined
    }
  }
  await worker?.terminate()
}

/** Tells whether sources are so small that building them here is faster than starting a worker. */
export function isSmallBuild(requests: readonly BuildRequest[]): boolean {
  return requests.reduce((sum, request) => sum + measureBytes(request), 0) < WORKER_BYTES
}

/** Starts a worker thread, which handles one request at a time. */
export function startWorker(): Worker {
  return new Worker(new URL(`./build-worker${extname(import.meta.url)}`, import.meta.url))
}

/** Sends a request to a worker and waits for its response. @throws Error if the worker ends without one */
export async function callWorker<Response>(
  worker: Worker,
  request: BuildRequest | readonly BuildRequest[],
): Promise<Response> {
  const settled = new AbortController()
  worker.postMessage(request)
  try {
    const responded = once(worker, 'message', { signal: settled.signal }) as Promise<[Response]>
    const exited = once(worker, 'exit', { signal: settled.signal })
    const [response] = await Promise.race([responded, exited])
    if (typeof response === 'object') return response as Response
    throw new Error('the worker ended early')
  } finally {
    settled.abort()
  }
}

/** Returns the result of a source whose worker crashed. */
export function crashedResult({ path, shown }: BuildRequest, error: unknown, hint: string): BuildResult {
  const reason = error instanceof Error ? error.message : String(error)
  const message = errorDiagnostic(shown, 'internal', `unexpected failure: ${reason}`, hint)
  return { path, shown, pack: null, slugPosition: null, text: null, messages: [message] }
}

function measureBytes({ path, bytes }: BuildRequest): number {
  return bytes?.length ?? statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
