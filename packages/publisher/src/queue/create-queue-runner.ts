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
import { openQueue, type PublishQueue, readProgress } from './open-queue.ts'
import { PublishError } from '../publish-error.ts'
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
  const outcomes = await waitForJobs(catalog, queue, ids, options)
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
      if (!isNoted) onNote?.(`${describeFailure(error).message}; ${wait}`)
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
  const outcomes = await waitForJobs(catalog, queue, [id], options)
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

type JobOutcome = { readonly value: unknown } | { readonly failure: Failure }

const POLL_MS = 250
/** Jobs that are asked for at a time. Those accepted first are usually done first. */
const MAX_POLLED = 20
const MAX_OUTAGE_MS = 300_000

/**
 * Waits until jobs have completed or failed for good. Adds a note if no worker is running.
 * @throws PublishError, CatalogError if Redis or the database is away for five minutes
 */
async function waitForJobs(
  catalog: Catalog,
  publishQueue: PublishQueue,
  ids: readonly string[],
  { onProgress, onNote }: RunOptions,
): Promise<ReadonlyMap<string, JobOutcome>> {
  const { queue, run } = publishQueue
  const options = { onNote, patience: MAX_OUTAGE_MS }
  if ((await outlast(() => run(() => queue.getWorkersCount()), options)) === 0)
    onNote?.('no worker is running; start one with `pack worker`')
  const outcomes = new Map<string, JobOutcome>()
  let shown = 0
  for (;;) {
    const polled = ids.filter((id) => !outcomes.has(id)).slice(0, MAX_POLLED)
    const before = outcomes.size
    let percent = 0
    for (const id of polled) {
      const found = await outlast(() => checkJob(catalog, publishQueue, id), options)
      if (typeof found === 'number') percent += found
      else outcomes.set(id, found)
    }
    // A job that is attempted again begins at 0.
    shown = Math.max(shown, (100 * outcomes.size + percent) / ids.length)
    onProgress?.(shown)
    if (outcomes.size === ids.length) return outcomes
    if (outcomes.size < before + polled.length) await sleep(POLL_MS)
  }
}

/**
 * Returns the progress in percent until a job is done. What is in Redis can be forged, so only the
 * catalog tells that something was published.
 */
async function checkJob(
  { jobs }: Catalog,
  { queue, run }: PublishQueue,
  id: string,
): Promise<JobOutcome | number> {
  const job = await run(() => queue.getJob(id))
  // Before the catalog: a job is done there first.
  const state = await run(() => queue.getJobState(id))
  const record = await jobs.get(id)
  const { state: end, result } = record ?? { state: 'failed', result: null }
  if (end === 'completed' && result !== null) return { value: JSON.parse(result) as unknown }
  if (end === 'failed' && result !== null) return { failure: readFailure(result) }
  if (state === 'failed' && job) return { failure: parseFailure(job.failedReason) }
  if (state === 'unknown' || state === 'completed') {
    const message = `Job ${id} is no longer in the queue`
    return { failure: { code: 'unknown_job', message, hint: GONE_HINT } }
  }
  if (record?.data !== null) return job ? readProgress(job) : 0
  const members = await jobs.members(id)
  return (100 * members.filter((member) => member.state === 'completed').length) / members.length
}

const GONE_HINT = 'Publish again: versions published already stay unchanged.'
