import type { JobLine } from '@packs/publisher'
import type { Host } from '../host.ts'
import { withReadOnlyCatalog, type ServiceUrls } from '../services/open-services.ts'

/**
 * Returns the jobs of the queue, or without a queue those that ran in process; only the one with `id` if that is given.
 *
 * @throws PublishError `unknown_job`
 */
export async function findJobs(
  host: Host,
  urls: ServiceUrls,
  id: string | undefined,
  limit: number,
): Promise<readonly JobLine[]> {
  const jobs = await (urls.redisUrl === undefined
    ? findInProcessJobs(host, urls, id, limit)
    : findQueuedJobs(urls.redisUrl, id, limit))
  if (id === undefined || jobs.length > 0) return jobs
  const { PublishError } = await import('@packs/publisher')
  const hint = '`pack jobs` lists the jobs; finished ones are deleted after a while'
  throw new PublishError('unknown_job', `there is no job ${JSON.stringify(id.slice(0, 160))}`, hint)
}

async function findInProcessJobs(
  host: Host,
  urls: ServiceUrls,
  id: string | undefined,
  limit: number,
): Promise<readonly JobLine[]> {
  const { findOwnJob, listOwnJobs } = await import('@packs/publisher')
  const now = new Date()
  return withReadOnlyCatalog(host, urls, async (catalog) => {
    if (id === undefined) return listOwnJobs(catalog, limit, now)
    const job = await findOwnJob(catalog, id, now)
    return job ? [job] : []
  })
}

async function findQueuedJobs(
  redisUrl: string,
  id: string | undefined,
  limit: number,
): Promise<readonly JobLine[]> {
  const { findJob, listJobs, openQueue } = await import('@packs/publisher/queue')
  const queue = await openQueue(redisUrl)
  try {
    if (id === undefined) return await listJobs(queue, limit)
    const job = await findJob(queue, id)
    return job ? [job] : []
  } finally {
    await queue.close()
  }
}
