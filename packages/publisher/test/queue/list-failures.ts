import { UnrecoverableError, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { readSource, type PublishRequest } from '@packs/publisher'
import { createJob, parseFailure, serializeFailure } from '../../src/steps/job-result.ts'
import { deriveJobId } from '../../src/steps/accept-jobs.ts'
import type { FailingPublish } from '../describe-runner.ts'
import { openTestCatalog } from '../sources.ts'
import { openQueueSite, type QueueSite } from './open-queue-site.ts'

/** Ways in which the job of a publish fails for good. */
export const failures: readonly FailingPublish[] = [
  failJob('job data of an older version', 'invalid_job', async (site, request, id) => {
    const job = createJob(request, undefined)
    await site.queue.queue.add('publish', { kind: 'publish', ...job }, { jobId: id })
    const worker = await site.startWorker()
    await site.waitForJob(id, 'failed')
    await worker.drain(5000)
  }),
  failJob('another database of the worker', 'invalid_job', async (site, request, id) => {
    await site.runner.publish([request])
    const worker = await site.startWorker({ databaseUrl: (await openTestCatalog()).url })
    await site.waitForJob(id, 'failed')
    await worker.drain(5000)
  }),
  failJob('a build that took too long', 'build_timeout', async (site, request, id) => {
    const [, other] = await site.runner.publish([request, copyRequest(request, 'other')])
    // The thread cannot even start in this time.
    const worker = await site.startWorker({ buildSeconds: 0.001 })
    await site.waitForJob(id, 'failed')
    // The worker goes on, and no job is tried twice.
    await site.waitForJob(other!.job!, 'failed')
    for (const job of await site.queue.queue.getJobs(['failed'])) {
      if (job.attemptsStarted !== 1) throw new Error(`The job was started ${job.attemptsStarted} times`)
    }
    await worker.drain(5000)
  }),
  failJob('a database that was away', 'catalog_unavailable', async (site, request, id) => {
    await site.runner.publish([request])
    const failure = { code: 'catalog_unavailable', message: 'The database is away', hint: 'Wait.' }
    await workUntilFailed(site, id, () => Promise.reject(new UnrecoverableError(serializeFailure(failure))))
  }),
  failJob('workers that were lost', 'job_stalled', async (site, request, id) => {
    await site.runner.publish([request])
    // This worker neither ends the job nor renews its lock.
    await workUntilFailed(site, id, () => new Promise(() => undefined))
  }),
]

function failJob(
  cause: string,
  code: string,
  fail: (site: QueueSite, request: PublishRequest, id: string) => Promise<void>,
): FailingPublish {
  return {
    cause,
    code,
    async fail(request) {
      const site = await openQueueSite()
      const id = deriveJobId(createJob(request, undefined))
      await fail(site, request, id)
      const job = await site.queue.queue.getJob(id)
      await site.startWorker()
      const { code } = parseFailure(job!.failedReason)
      return { ...site, failed: { status: 'failed', code, job: id } }
    },
  }
}

function copyRequest({ file, actor }: PublishRequest, slug: string): PublishRequest {
  const text = Buffer.from(file.bytes).toString()
  const bytes = Buffer.from(text.replace(/^slug: .*$/m, `slug: ${slug}`))
  return { ...readSource({ ...file, bytes }), actor }
}

async function workUntilFailed(site: QueueSite, id: string, work: () => Promise<unknown>): Promise<void> {
  const connection = new Redis(site.redisUrl, { maxRetriesPerRequest: null })
  const { name, opts } = site.queue.queue
  const worker = new Worker(name, work, {
    connection,
    prefix: opts.prefix!,
    lockDuration: 100,
    skipLockRenewal: true,
    stalledInterval: 100,
    maxStalledCount: 0,
    concurrency: 2,
  })
  worker.on('error', () => undefined)
  await site.waitForJob(id, 'failed')
  await worker.close(true)
  connection.disconnect()
}
