import type { Catalog } from '@packs/catalog'
import type { PublishRequest, PublishResult, Runner, RunOptions } from '../runner.ts'
import { admitRequest, admitRequests } from '../steps/admit-request.ts'
import { describeFailure, type Failure, parseFailure } from '../steps/describe-failure.ts'
import { createReleaseError, createResult, failRequest, mergeResults, tellFailure } from '../steps/results.ts'
import { findConflicts } from '../steps/standing.ts'
import { addPublish, addRelease } from './add-jobs.ts'
import { openQueue, type PublishQueue } from './open-queue.ts'
import { waitForJobs } from './wait-for-jobs.ts'

/**
 * Creates the runner that leaves publishes to workers.
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
  const ends = await waitForJobs(queue, { ids }, options)
  return results.map((result) => {
    if (result.status !== 'queued') return result
    const end = ends.get(result.job!)!
    if ('value' in end) return end.value as PublishResult
    return createResult({ ...tellFailure(result.slug, end.failure), job: result.job })
  })
}

async function submitRequest(
  catalog: Catalog,
  queue: PublishQueue,
  request: PublishRequest,
): Promise<PublishResult> {
  try {
    const admission = await admitRequest(catalog, request)
    if ('result' in admission) return admission.result
    const job = await addPublish(queue, admission.job)
    return createResult({ slug: admission.job.slug, status: 'queued', job })
  } catch (error) {
    return failRequest(request, error)
  }
}

/** Queues a release: its members are built by any workers, and committed by the one that finishes. */
async function releaseByQueue(
  catalog: Catalog,
  queue: PublishQueue,
  name: string,
  requests: readonly PublishRequest[],
  options: RunOptions,
): Promise<readonly PublishResult[]> {
  const { jobs, settled } = await admitRequests(catalog, requests)
  if (jobs.length === 0) return mergeResults(requests, settled)
  const { id, members } = await addRelease(queue, name, jobs)
  if (!options.wait) {
    const queued = jobs.map(({ slug }) => createResult({ slug, status: 'queued', job: id }))
    return mergeResults(requests, [...settled, ...queued])
  }
  const watched = { ids: [id], parts: [...members.values()] }
  const end = (await waitForJobs(queue, watched, options)).get(id)!
  if ('value' in end) return mergeResults(requests, [...settled, ...(end.value as PublishResult[])])
  const isConflict = end.failure.code === 'version_conflict'
  const failures = isConflict
    ? await describeConflicts(catalog, requests)
    : await findFailures(queue, members)
  const guilty = jobs.find(({ slug }) => failures.has(slug))
  const other = guilty ? describeFailure(createReleaseError(guilty.path)) : end.failure
  const failed = jobs.map(({ slug }) =>
    createResult({ ...tellFailure(slug, failures.get(slug) ?? other), job: id }),
  )
  return mergeResults(requests, [...settled, ...failed])
}

/** The commit fails as a whole; the catalog tells whose version was taken. */
async function describeConflicts(
  catalog: Catalog,
  requests: readonly PublishRequest[],
): Promise<Map<string, Failure>> {
  const conflicts = await findConflicts(catalog, requests)
  return new Map(Array.from(conflicts, ([slug, error]) => [slug, describeFailure(error)]))
}

/** Why members failed, by slug. */
async function findFailures(
  { queue, ask }: PublishQueue,
  members: ReadonlyMap<string, string>,
): Promise<Map<string, Failure>> {
  const failures = new Map<string, Failure>()
  for (const [slug, id] of members) {
    const job = await ask(() => queue.getJob(id))
    if (job?.failedReason && job.finishedOn !== undefined) failures.set(slug, parseFailure(job.failedReason))
  }
  return failures
}
