import { QueueEvents } from 'bullmq'
import { PublishError } from '../publish-error.ts'
import type { RunOptions } from '../runner.ts'
import { parseFailure, type Failure } from '../steps/create-result.ts'
import { connectRedis } from './connect-redis.ts'
import { readProgress, KEY_PREFIX, QUEUE_NAME, type PublishQueue } from './open-queue.ts'

/** Result or failure of a finished job. */
export type JobOutcome = { readonly value: unknown } | { readonly failure: Failure }

/** Events may be missed while a connection is lost, so some pending jobs are also polled. */
const POLL_MS = 2000
const MAX_POLLED = 100
const MAX_OUTAGE_MS = 30_000

/**
 * Waits through queue events until jobs have completed or failed permanently. Adds a note if no
 * worker is running.
 *
 * @param members jobs that count only for the progress
 * @throws PublishError `queue_unavailable` if Redis is unreachable for 30 s
 */
export async function waitForJobs(
  publishQueue: PublishQueue,
  ids: readonly string[],
  members: readonly string[],
  { onProgress = () => undefined, onNote }: RunOptions,
): Promise<ReadonlyMap<string, JobOutcome>> {
  const { queue, run } = publishQueue
  if ((await run(() => queue.getWorkersCount())) === 0)
    onNote?.('no worker is running; start one with `pack worker`')
  const connection = await connectRedis(publishQueue.redisUrl, 'worker')
  // Start at the last event before the first check: reading begins a moment after the jobs are checked.
  const [last] = await connection.xrevrange(queue.toKey('events'), '+', '-', 'COUNT', 1)
  const options = { connection, prefix: KEY_PREFIX, lastEventId: last?.[0] ?? '0-0' }
  const events = new QueueEvents(QUEUE_NAME, options)
  events.on('error', () => undefined)
  const watch: Watch = {
    pending: new Set(ids),
    changed: new Set(ids),
    progress: new Map([...ids, ...members].map((id) => [id, 0])),
    outcomes: new Map(),
    wake: () => undefined,
  }
  events.on('completed', ({ jobId }) => markChanged(watch, jobId))
  events.on('failed', ({ jobId }) => markChanged(watch, jobId))
  events.on('progress', ({ jobId, data }) => {
    if (!watch.progress.has(jobId) || watch.outcomes.has(jobId) || typeof data !== 'number') return
    watch.progress.set(jobId, data)
    onProgress(averageProgress(watch))
  })
  try {
    await events.waitUntilReady()
    await watchJobs(publishQueue, watch, onProgress)
    return watch.outcomes
  } finally {
    await events.close().catch(() => undefined)
    connection.disconnect()
  }
}

interface Watch {
  readonly pending: Set<string>
  /** Jobs to check. */
  readonly changed: Set<string>
  readonly progress: Map<string, number>
  readonly outcomes: Map<string, JobOutcome>
  wake: () => void
}

function markChanged(watch: Watch, id: string): void {
  if (!watch.pending.has(id)) {
    if (watch.progress.has(id)) watch.progress.set(id, 100)
    return
  }
  watch.changed.add(id)
  watch.wake()
}

function averageProgress({ progress }: Watch): number {
  return [...progress.values()].reduce((sum, percent) => sum + percent, 0) / Math.max(1, progress.size)
}

async function watchJobs(
  publishQueue: PublishQueue,
  watch: Watch,
  onProgress: (percent: number) => void,
): Promise<void> {
  let outageMs = 0
  while (watch.pending.size > 0) {
    try {
      for (const id of Array.from(watch.changed)) await checkJob(publishQueue, watch, id)
      outageMs = 0
      onProgress(averageProgress(watch))
    } catch (error) {
      outageMs += POLL_MS
      if (!(error instanceof PublishError) || outageMs > MAX_OUTAGE_MS) throw error
      await waitForChange(watch)
      continue
    }
    if (watch.pending.size > 0 && watch.changed.size === 0) await waitForChange(watch)
  }
}

/** Waits for an event. If none comes in time, marks some of the pending jobs to be checked. */
async function waitForChange(watch: Watch): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => {
      for (const id of [...watch.pending].slice(0, MAX_POLLED)) watch.changed.add(id)
      resolve()
    }, POLL_MS)
    watch.wake = () => {
      clearTimeout(timer)
      resolve()
    }
  })
}

async function checkJob({ queue, run }: PublishQueue, watch: Watch, id: string): Promise<void> {
  // Before the query, so that a change during it leads to another check.
  watch.changed.delete(id)
  // State first: a job read before it completes has no result yet.
  const state = await run(() => queue.getJobState(id))
  const job = await run(() => queue.getJob(id))
  if (job === undefined) {
    const message = `Job ${id} is no longer in the queue`
    finishJob(watch, id, { failure: { code: 'unknown_job', message, hint: GONE_HINT } })
  } else if (state === 'completed') finishJob(watch, id, { value: job.returnvalue as unknown })
  else if (state === 'failed') finishJob(watch, id, { failure: parseFailure(job.failedReason) })
  else {
    watch.progress.set(id, Math.max(readProgress(job), watch.progress.get(id) ?? 0))
    // Moves the job to the end of the set, so that polling takes turns.
    watch.pending.delete(id)
    watch.pending.add(id)
  }
}

const GONE_HINT = 'Publish again: versions published already stay unchanged.'

function finishJob(watch: Watch, id: string, outcome: JobOutcome): void {
  watch.outcomes.set(id, outcome)
  watch.progress.set(id, 100)
  watch.pending.delete(id)
}
