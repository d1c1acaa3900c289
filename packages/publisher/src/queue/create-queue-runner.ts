import { setTimeout as sleep } from 'node:timers/promises'
import { type Catalog, isOutage } from '@packs/catalog'
import type { PublishRequest, PublishResult, Runner, RunOptions } from '../runner.ts'
import {
  createErrorResult,
  createFailedResult,
  createResult,
  orderResults,
  releaseError,
  describeFailure,
  parseFailure,
  type Failure,
  deduplicateRequest,
  deduplicateRequests,
  findConflicts,
} from '../steps/job-result.ts'
import { openQueue, type PublishQueue, readProgress, KEY_PREFIX, QUEUE_NAME } from './open-queue.ts'
import { QueueEvents } from 'bullmq'
import { PublishError } from '../publish-error.ts'
import { connectRedis } from './connect-redis.ts'
import { acceptPublish, acceptRelease } from '../steps/accept-jobs.ts'
import { enqueueJob, settleJobs } from './enqueue-job.ts'
import { randomBytes } from 'node:crypto'

/** @throws PublishError `invalid_redis_url`, `queue_unavailable`, `queue_evicts` */
export async function createQueueRunner(catalog: Catalog, redisUrl: string): Promise<Runner> {
  const queue = await openQueue(redisUrl)
  return {
    publish: (requests, options = {}) => publishByQueue(catalog, queue, requests, options),
    release: (name, requests, options = {}) => releaseByQueue(catalog, queue, name, requests, options),
    close: () => queue.close(),
  }
}

async function publishByQueue(
  catalog: Catalog,
  queue: PublishQueue,
  requests: readonly PublishRequest[],
  options: RunOptions,
): Promise<readonly PublishResult[]> {
  const results: PublishResult[] = []
  for (const request of requests) {
    const submit = outlast(() => submitRequest(catalog, queue, request), options)
    results.push(await submit.catch((error: unknown) => createErrorResult(request, error)))
  }
  const ids = results.filter(({ status }) => status === 'queued').map(({ job }) => job!)
  if (!options.wait || ids.length === 0) return results
  const outcomes = await waitForJobs(catalog, queue, ids, [], options)
  return results.map((result) => {
    if (result.status !== 'queued') return result
    const outcome = outcomes.get(result.job!)!
    if ('value' in outcome) return outcome.value as PublishResult
    return createFailedResult(result.slug, outcome.failure, result.job)
  })
}

async function submitRequest(
  catalog: Catalog,
  queue: PublishQueue,
  request: PublishRequest,
): Promise<PublishResult> {
  const { slug } = request.source
  await settleJobs(catalog, queue, [slug])
  const next = await deduplicateRequest(catalog, request)
  if ('result' in next) return next.result
  // The catalog has it first: the queue holds only its id.
  const { id } = await acceptPublish(catalog, next.job, null)
  await enqueueJob(catalog, queue, id)
  return createResult({ slug, status: 'queued', job: id })
}

/**
 * Repeats work while the database or Redis is away, for `patience` milliseconds. What was accepted
 * before the connection broke is found again.
 */
async function outlast<T>(work: () => Promise<T>, { patience = 0, onNote }: RunOptions): Promise<T> {
  const end = performance.now() + patience
  for (let isNoted = false; ; isNoted = true) {
    try {
      return await work()
    } catch (error) {
      const isAway = isOutage(error) || (error instanceof PublishError && error.code === 'queue_unavailable')
      if (!isAway || performance.now() >= end) throw error
      const wait = `waiting up to ${Math.round(patience / 60_000)} minutes`
      if (!isNoted && patience > 0) onNote?.(`${describeFailure(error).message}; ${wait}`)
      await sleep(POLL_MS)
    }
  }
}

/** Queues a release: any workers build its members, and one worker commits them together. */
async function releaseByQueue(
  catalog: Catalog,
  queue: PublishQueue,
  name: string,
  requests: readonly PublishRequest[],
  options: RunOptions,
): Promise<readonly PublishResult[]> {
  const slugs = requests.map(({ source }) => source.slug)
  // A release of the same members may be in the queue, finished.
  const suffix = `-${randomBytes(4).toString('hex')}`
  const { id, jobs, existing } = await outlast(async () => {
    await settleJobs(catalog, queue, slugs)
    const found = await deduplicateRequests(catalog, requests)
    if (found.jobs.length === 0) return { ...found, id: '' }
    const accepted = await acceptRelease(catalog, name, found.jobs, null, suffix)
    await enqueueJob(catalog, queue, accepted.id)
    return { ...found, id: accepted.id }
  }, options)
  if (jobs.length === 0) return orderResults(requests, existing)
  if (!options.wait) {
    const queued = jobs.map(({ slug }) => createResult({ slug, status: 'queued', job: id }))
    return orderResults(requests, [...existing, ...queued])
  }
  const members = await catalog.jobs.members(id)
  const memberIds = members.map((member) => member.id)
  const outcomes = await waitForJobs(catalog, queue, [id], memberIds, options)
  const outcome = outcomes.get(id)!
  if ('value' in outcome) return orderResults(requests, [...existing, ...(outcome.value as PublishResult[])])
  const isConflict = outcome.failure.code === 'version_conflict'
  // A failed commit does not tell which named version is taken.
  const conflicts = isConflict ? await findConflicts(catalog, requests) : undefined
  const failures = conflicts
    ? new Map(Array.from(conflicts, ([slug, error]) => [slug, describeFailure(error)]))
    : await findFailures(catalog, id)
  const failedJob = jobs.find(({ slug }) => failures.has(slug))
  const otherFailure = failedJob ? describeFailure(releaseError(failedJob.path)) : outcome.failure
  const failed = jobs.map(({ slug }) => createFailedResult(slug, failures.get(slug) ?? otherFailure, id))
  return orderResults(requests, [...existing, ...failed])
}

async function findFailures({ jobs }: Catalog, release: string): Promise<Map<string, Failure>> {
  const failed = (await jobs.members(release)).filter(({ state, result }) => state === 'failed' && result)
  return new Map(failed.map(({ slug, result }) => [slug, readFailure(result!)]))
}

function readFailure(result: string): Failure {
  const failed = ([JSON.parse(result)] as PublishResult[]).flat().find(({ code }) => code !== null)!
  return { code: failed.code!, message: failed.message!, hint: failed.hint! }
}

export type JobOutcome = { readonly value: unknown } | { readonly failure: Failure }

/** Events may be missed while a connection is lost, so some pending jobs are also polled. */
const POLL_MS = 2000
const MAX_POLLED = 100
const MAX_OUTAGE_MS = 300_000

/**
 * Waits until jobs have completed or failed for good. Adds a note if no worker is running.
 * @param members jobs that count only for the progress
 * @throws PublishError, CatalogError if Redis or the database is away for five minutes
 */
export async function waitForJobs(
  catalog: Catalog,
  publishQueue: PublishQueue,
  ids: readonly string[],
  members: readonly string[],
  { onProgress = () => undefined, onNote }: RunOptions,
): Promise<ReadonlyMap<string, JobOutcome>> {
  const { queue, run } = publishQueue
  const options = { onProgress, onNote, patience: MAX_OUTAGE_MS }
  if ((await outlast(() => run(() => queue.getWorkersCount()), options)) === 0)
    onNote?.('no worker is running; start one with `pack worker`')
  const connection = await outlast(() => connectRedis(publishQueue.redisUrl, 'worker'), options)
  // Start at the last event before the first check: reading begins a moment after the jobs are checked.
  const [last] = await connection.xrevrange(queue.toKey('events'), '+', '-', 'COUNT', 1)
  const lastEventId = last?.[0] ?? '0-0'
  const events = new QueueEvents(QUEUE_NAME, { connection, prefix: KEY_PREFIX, lastEventId })
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
    await watchJobs(catalog, publishQueue, watch, options)
    return watch.outcomes
  } finally {
    await events.close().catch(() => undefined)
    connection.disconnect()
  }
}

interface Watch {
  readonly pending: Set<string>
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
  catalog: Catalog,
  publishQueue: PublishQueue,
  watch: Watch,
  options: RunOptions,
): Promise<void> {
  while (watch.pending.size > 0) {
    await outlast(async () => {
      for (const id of Array.from(watch.changed)) {
        // Before the check, so that a change during it leads to another one.
        watch.changed.delete(id)
        await checkJob(catalog, publishQueue, watch, id).catch((error: unknown) => {
          watch.changed.add(id)
          throw error
        })
      }
    }, options)
    options.onProgress?.(averageProgress(watch))
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

/** What is in Redis can be forged, so only the catalog tells that something was published. */
async function checkJob(
  { jobs }: Catalog,
  { queue, run }: PublishQueue,
  watch: Watch,
  id: string,
): Promise<void> {
  const job = await run(() => queue.getJob(id))
  // Before the catalog: a job is done there first.
  const state = await run(() => queue.getJobState(id))
  const { state: end, result } = (await jobs.get(id)) ?? { state: 'failed', result: null }
  if (end === 'completed' && result !== null) finishJob(watch, id, { value: JSON.parse(result) as unknown })
  else if (end === 'failed' && result !== null) finishJob(watch, id, { failure: readFailure(result) })
  else if (state === 'failed' && job) finishJob(watch, id, { failure: parseFailure(job.failedReason) })
  else if (state === 'unknown' || state === 'completed') {
    const message = `Job ${id} is no longer in the queue`
    finishJob(watch, id, { failure: { code: 'unknown_job', message, hint: GONE_HINT } })
  } else {
    watch.progress.set(id, Math.max(job ? readProgress(job) : 0, watch.progress.get(id) ?? 0))
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
