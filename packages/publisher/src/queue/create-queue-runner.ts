import type { Catalog } from '@packs/catalog'
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
import {
  openQueue,
  type PublishQueue,
  readProgress,
  KEY_PREFIX,
  QUEUE_NAME,
  jobOptions,
} from './open-queue.ts'
import { QueueEvents } from 'bullmq'
import { PublishError } from '../publish-error.ts'
import { connectRedis } from './connect-redis.ts'
import {
  createMemberData,
  createSingleData,
  deriveJobId,
  deriveMemberId,
  deriveReleaseId,
  type PublishJob,
  type ReleaseData,
} from '../steps/job-data.ts'

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
  for (const request of requests) results.push(await submitRequest(catalog, queue, request))
  const ids = results.filter(({ status }) => status === 'queued').map(({ job }) => job!)
  if (!options.wait || ids.length === 0) return results
  const outcomes = await waitForJobs(queue, ids, [], options)
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
  try {
    const next = await deduplicateRequest(catalog, request)
    if ('result' in next) return next.result
    const job = await addPublish(queue, next.job)
    return createResult({ slug: next.job.slug, status: 'queued', job })
  } catch (error) {
    return createErrorResult(request, error)
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
  const { jobs, existing } = await deduplicateRequests(catalog, requests)
  if (jobs.length === 0) return orderResults(requests, existing)
  const { id, members } = await addRelease(queue, name, jobs)
  if (!options.wait) {
    const queued = jobs.map(({ slug }) => createResult({ slug, status: 'queued', job: id }))
    return orderResults(requests, [...existing, ...queued])
  }
  const outcomes = await waitForJobs(queue, [id], [...members.values()], options)
  const outcome = outcomes.get(id)!
  if ('value' in outcome) return orderResults(requests, [...existing, ...(outcome.value as PublishResult[])])
  const isConflict = outcome.failure.code === 'version_conflict'
  // A failed commit does not tell which named version is taken.
  const conflicts = isConflict ? await findConflicts(catalog, requests) : undefined
  const failures = conflicts
    ? new Map(Array.from(conflicts, ([slug, error]) => [slug, describeFailure(error)]))
    : await findFailures(queue, members)
  const failedJob = jobs.find(({ slug }) => failures.has(slug))
  const otherFailure = failedJob ? describeFailure(releaseError(failedJob.path)) : outcome.failure
  const failed = jobs.map(({ slug }) => createFailedResult(slug, failures.get(slug) ?? otherFailure, id))
  return orderResults(requests, [...existing, ...failed])
}

async function findFailures(
  { queue, run }: PublishQueue,
  members: ReadonlyMap<string, string>,
): Promise<Map<string, Failure>> {
  const failures = new Map<string, Failure>()
  for (const [slug, id] of members) {
    const job = await run(() => queue.getJob(id))
    if (job?.failedReason && job.finishedOn !== undefined) failures.set(slug, parseFailure(job.failedReason))
  }
  return failures
}

/** Result or failure of a finished job. */
export type JobOutcome = { readonly value: unknown } | { readonly failure: Failure }

/** Events may be missed while a connection is lost, so some pending jobs are also polled. */
const POLL_MS = 2000
const MAX_POLLED = 100
const MAX_OUTAGE_MS = 30_000

/**
 * Waits until jobs have completed or failed for good. Adds a note if no worker is running.
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

/**
 * Adds the publish of one source. Returns the id of its job, which depends on the source and on the
 * newest version.
 *
 * A job of this id that is queued or running stays as it is. One that has failed, or has completed
 * without its version in this catalog, runs again with these data and all its attempts. A job is
 * never removed, so a crash loses none that was accepted.
 *
 * @throws PublishError
 */
export async function addPublish({ queue, connection, run }: PublishQueue, job: PublishJob): Promise<string> {
  const id = deriveJobId(job)
  const data = createSingleData(job)
  // Without effect if the job exists.
  const add = (): Promise<unknown> => queue.add(data.kind, data, { jobId: id })
  await run(async () => {
    const state = await queue.getJobState(id)
    if (state === 'unknown') await add()
    if (!isFinished(state)) return
    const existing = await queue.getJob(id)
    try {
      await existing?.updateData(data)
      // The counter of lost workers, and the mark of a job that has lost too many.
      await connection.hdel(queue.toKey(id), 'stc', 'defa')
      await existing?.retry(state, { resetAttemptsMade: true, resetAttemptsStarted: true })
    } catch (error) {
      // Another producer was faster, or the job was deleted meanwhile.
      if (!isChanged(error)) throw error
    }
    await add()
  })
  return id
}

/** Codes of BullMQ for a job that does not exist, or is not in the expected state. */
const CHANGED = new Set([-1, -3])

function isChanged(error: unknown): boolean {
  return error instanceof Error && 'code' in error && CHANGED.has(error.code as number)
}

function isFinished(state: string): state is 'completed' | 'failed' {
  return state === 'completed' || state === 'failed'
}

/** A release in the queue: the id of the committing job, and those of its members by slug. */
export interface AddedRelease {
  readonly id: string
  readonly members: ReadonlyMap<string, string>
}

/**
 * A release that is queued or running stays; a finished one is added under another id.
 * @throws PublishError
 */
export async function addRelease(
  publishQueue: PublishQueue,
  name: string,
  jobs: readonly PublishJob[],
): Promise<AddedRelease> {
  const first = deriveReleaseId(name, jobs)
  return publishQueue.run(async () => {
    let id = first
    let state = await publishQueue.queue.getJobState(id)
    for (let again = 2; isFinished(state); again++) {
      id = `${first}-${again}`
      state = await publishQueue.queue.getJobState(id)
    }
    const members = new Map(jobs.map((job) => [job.slug, deriveMemberId(id, job)]))
    if (state === 'unknown') await addFlow(publishQueue, name, { id, members }, jobs)
    return { id, members }
  })
}

async function addFlow(
  { flows }: PublishQueue,
  name: string,
  { id, members }: AddedRelease,
  jobs: readonly PublishJob[],
): Promise<void> {
  const data: ReleaseData = { kind: 'release', slug: name }
  const place = { queueName: QUEUE_NAME, prefix: KEY_PREFIX }
  await flows.add({
    ...place,
    name: data.kind,
    data,
    opts: { ...jobOptions, jobId: id },
    children: jobs.map((job) => {
      const member = createMemberData(id, job)
      return {
        ...place,
        name: member.kind,
        data: member,
        opts: { ...jobOptions, jobId: members.get(job.slug)!, failParentOnFailure: true },
      }
    }),
  })
}
