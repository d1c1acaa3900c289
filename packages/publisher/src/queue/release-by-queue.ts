import type { Catalog } from '@packs/catalog'
import type { PublishRequest, PublishResult, RunOptions } from '../runner.ts'
import { admitRequests } from '../steps/admit-request.ts'
import { findConflicts } from '../steps/find-conflicts.ts'
import { describeFailure, type Failure } from '../steps/describe-failure.ts'
import { createReleaseError, createResult, mergeResults, tellFailure } from '../steps/results.ts'
import { addRelease } from './add-jobs.ts'
import { parseFailure } from './failure-text.ts'
import type { PublishQueue } from './open-queue.ts'
import { tellMissingWorkers } from './tell-missing-workers.ts'
import { waitForJobs } from './wait-for-jobs.ts'

/** Queues a release: its members are built by any workers, and committed by the one that finishes. */
export async function releaseByQueue(
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
  await tellMissingWorkers(queue, options)
  const watched = { ids: [id], parts: [...members.values()] }
  const end = (await waitForJobs(queue, watched, options.onProgress)).get(id)!
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
