import { QueueEvents } from 'bullmq'
import { PublishError } from '../publish-error.ts'
import type { RunOptions } from '../runner.ts'
import { type Failure, parseFailure } from '../steps/describe-failure.ts'
import { connectRedis } from './connect-redis.ts'
import { readProgress } from './inspect-queue.ts'
import { KEY_PREFIX, type PublishQueue, QUEUE_NAME } from './open-queue.ts'

/** How a job ended. */
export type JobEnd = { readonly value: unknown } | { readonly failure: Failure }

export interface WatchedJobs {
  /** Jobs to wait for. */
  readonly ids: readonly string[]
  /** Jobs that only count in the progress. */
  readonly parts?: readonly string[]
}

/** Events may be missed while a connection is lost, so that some jobs are looked at now and then as well. */
const LOOK_MS = 2000

const LOOK_AT_MOST = 100

const PATIENCE_MS = 30_000

/**
 * Waits until jobs are done or have failed for good, through the queue's events.
 *
 * @throws PublishError `queue_unavailable` when Redis is away for 30 s
 */
export async function waitForJobs(
  publishQueue: PublishQueue,
  watched: WatchedJobs,
  { onProgress = () => undefined, onNote }: RunOptions,
): Promise<ReadonlyMap<string, JobEnd>> {
  await tellMissingWorkers(publishQueue, onNote)
  const connection = await connectRedis(publishQueue.redisUrl, 'worker')
  // From the last event before the first look on: reading begins a moment after the jobs are looked at.
  const [last] = await connection.xrevrange(publishQueue.queue.toKey('events'), '+', '-', 'COUNT', 1)
  const options = { connection, prefix: KEY_PREFIX, lastEventId: last?.[0] ?? '0-0' }
  const events = new QueueEvents(QUEUE_NAME, options)
  events.on('error', () => undefined)
  const watch = createWatch(watched)
  events.on('completed', ({ jobId }) => touchJob(watch, jobId))
  events.on('failed', ({ jobId }) => touchJob(watch, jobId))
  events.on('progress', ({ jobId, data }) => {
    if (!watch.progress.has(jobId) || watch.ends.has(jobId) || typeof data !== 'number') return
    watch.progress.set(jobId, data)
    onProgress(average(watch))
  })
  try {
    await events.waitUntilReady()
    await watchJobs(publishQueue, watch, onProgress)
    return watch.ends
  } finally {
    await events.close().catch(() => undefined)
    connection.disconnect()
  }
}

interface Watch {
  readonly open: Set<string>
  /** Those to look at. */
  readonly touched: Set<string>
  readonly progress: Map<string, number>
  readonly ends: Map<string, JobEnd>
  wake: () => void
}

function createWatch({ ids, parts = [] }: WatchedJobs): Watch {
  const progress = new Map([...ids, ...parts].map((id) => [id, 0]))
  return { open: new Set(ids), touched: new Set(ids), progress, ends: new Map(), wake: () => undefined }
}

function touchJob(watch: Watch, id: string): void {
  if (!watch.open.has(id)) {
    if (watch.progress.has(id)) watch.progress.set(id, 100)
    return
  }
  watch.touched.add(id)
  watch.wake()
}

function average({ progress }: Watch): number {
  return [...progress.values()].reduce((sum, percent) => sum + percent, 0) / Math.max(1, progress.size)
}

async function watchJobs(
  publishQueue: PublishQueue,
  watch: Watch,
  onProgress: (percent: number) => void,
): Promise<void> {
  let away = 0
  while (watch.open.size > 0) {
    try {
      for (const id of Array.from(watch.touched)) await lookAtJob(publishQueue, watch, id)
      away = 0
      onProgress(average(watch))
    } catch (error) {
      away += LOOK_MS
      if (!(error instanceof PublishError) || away > PATIENCE_MS) throw error
      await rest(watch)
      continue
    }
    if (watch.open.size > 0 && watch.touched.size === 0) await rest(watch)
  }
}

/** Ends early where something happened; else some of the open jobs are to be looked at. */
async function rest(watch: Watch): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => {
      for (const id of [...watch.open].slice(0, LOOK_AT_MOST)) watch.touched.add(id)
      resolve()
    }, LOOK_MS)
    watch.wake = () => {
      clearTimeout(timer)
      resolve()
    }
  })
}

async function lookAtJob({ queue, ask }: PublishQueue, watch: Watch, id: string): Promise<void> {
  // Before asking: what happens meanwhile is to be looked at again.
  watch.touched.delete(id)
  // The state first: a job that is read before it ends has no result yet.
  const state = await ask(() => queue.getJobState(id))
  const job = await ask(() => queue.getJob(id))
  if (job === undefined) {
    const message = `The queue has no job ${id} any more`
    endJob(watch, id, { failure: { code: 'unknown_job', message, hint: GONE } })
  } else if (state === 'completed') endJob(watch, id, { value: job.returnvalue as unknown })
  else if (state === 'failed') endJob(watch, id, { failure: parseFailure(job.failedReason) })
  else {
    watch.progress.set(id, Math.max(readProgress(job), watch.progress.get(id) ?? 0))
    // Looked at in turns: the last of the open ones now.
    watch.open.delete(id)
    watch.open.add(id)
  }
}

const GONE = 'Publish again: what is published already stays as it is.'

function endJob(watch: Watch, id: string, end: JobEnd): void {
  watch.ends.set(id, end)
  watch.progress.set(id, 100)
  watch.open.delete(id)
}

/** Tells who waits that nobody works. */
async function tellMissingWorkers({ queue, ask }: PublishQueue, onNote: RunOptions['onNote']): Promise<void> {
  if ((await ask(() => queue.getWorkersCount())) === 0)
    onNote?.('no worker runs; start one with `pack worker`')
}
