import type { Catalog } from '@packs/catalog'
import type { PublishRequest, PublishResult, Runner, RunOptions } from '../runner.ts'
import { admitRequest } from '../steps/admit-request.ts'
import { createResult, failRequest, tellFailure } from '../steps/results.ts'
import { addPublish } from './add-jobs.ts'
import { openQueue, type PublishQueue } from './open-queue.ts'
import { releaseByQueue } from './release-by-queue.ts'
import { tellMissingWorkers } from './tell-missing-workers.ts'
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
  await tellMissingWorkers(queue, options)
  const ends = await waitForJobs(queue, { ids }, options.onProgress)
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
