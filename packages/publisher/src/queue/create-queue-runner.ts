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
} from '../steps/create-result.ts'
import { deduplicateRequest, deduplicateRequests, findConflicts } from '../steps/find-existing-version.ts'
import { addPublish, addRelease } from './add-jobs.ts'
import { openQueue, type PublishQueue } from './open-queue.ts'
import { waitForJobs } from './wait-for-jobs.ts'

/**
 * Creates a runner that queues publishes for workers.
 *
 * @throws PublishError `invalid_redis_url`, `queue_unavailable`, `queue_evicts`
 */
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
