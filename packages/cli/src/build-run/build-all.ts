import { once } from 'node:events'
import { statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { errorDiagnostic } from '../output/diagnostic.ts'
import type { BuildRequest } from './build-source.ts'
import type { BuildResult } from '../output/build-result.ts'

/** From so many bytes on, the time to load a tokenizer into a worker (about 300 ms) is worth it. */
const WORKER_BYTES = 384 * 1024

/**
 * Builds sources and gives their results in the order of the requests.
 *
 * A few small ones are built here; more than that goes to worker threads, one for each core, so that signals and progress are served
 * meanwhile. One that fails does not stop the others.
 */
export async function buildAll(
  requests: readonly BuildRequest[],
  onDone: () => void,
): Promise<BuildResult[]> {
  if (isSmallBuild(requests)) return buildInThisThread(requests, onDone)
  const sizes = requests.map(measureBytes)
  const results: BuildResult[] = []
  const queue = [...requests.keys()].toSorted((a, b) => (sizes[a] ?? 0) - (sizes[b] ?? 0) || b - a)
  const crew = Array.from({ length: Math.min(availableParallelism(), requests.length) }, () =>
    processQueue(queue, requests, (at, result) => {
      results[at] = result
      onDone()
    }),
  )
  await Promise.all(crew)
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
 * Building here blocks the event loop; a signal that came meanwhile ends the program before anything is written. The
 * first turn may end before the loop polls for signals, the second cannot.
 */
async function yieldToSignals(): Promise<void> {
  await setImmediate()
  await setImmediate()
}

/** Takes the largest that is left, until nothing is; a worker that dies takes only its own source with it. */
async function processQueue(
  queue: number[],
  requests: readonly BuildRequest[],
  keep: (at: number, result: BuildResult) => void,
): Promise<void> {
  let worker: Worker | undefined
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    const request = requests[at]!
    worker ??= startWorker()
    try {
      keep(at, await callWorker<BuildResult>(worker, request))
    } catch (error) {
      keep(at, crashedResult(request, error, 'report this; the other sources are built'))
      await worker.terminate()
      worker = undefined
    }
  }
  await worker?.terminate()
}

/** Is building sources here done before a worker would have started. */
export function isSmallBuild(requests: readonly BuildRequest[]): boolean {
  return requests.reduce((sum, request) => sum + measureBytes(request), 0) < WORKER_BYTES
}

/** Starts a thread that answers one request at a time. */
export function startWorker(): Worker {
  return new Worker(new URL(`./build-worker${extname(import.meta.url)}`, import.meta.url))
}

/** Waits for a worker's answer. @throws Error where it ends without one */
export async function callWorker<Answer>(
  worker: Worker,
  request: BuildRequest | readonly BuildRequest[],
): Promise<Answer> {
  const settled = new AbortController()
  worker.postMessage(request)
  try {
    const answered = once(worker, 'message', { signal: settled.signal }) as Promise<[Answer]>
    const ended = once(worker, 'exit', { signal: settled.signal })
    const [answer] = await Promise.race([answered, ended])
    if (typeof answer === 'object') return answer as Answer
    throw new Error('the worker ended early')
  } finally {
    settled.abort()
  }
}

/** Makes the result of a source whose worker failed. */
export function crashedResult({ path, shown }: BuildRequest, error: unknown, hint: string): BuildResult {
  const reason = error instanceof Error ? error.message : String(error)
  const message = errorDiagnostic(shown, 'internal', `unexpected failure: ${reason}`, hint)
  return { path, shown, pack: null, slugPosition: null, text: null, messages: [message] }
}

function measureBytes({ path, bytes }: BuildRequest): number {
  return bytes?.length ?? statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
