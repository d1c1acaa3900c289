import type { Actor, Catalog, JobRecord } from '@packs/catalog'
import { PublishError } from '../publish-error.ts'
import { endAbandoned, isAbandoned } from '../steps/accept-jobs.ts'
import { createFailedResult, parseFailure, recordResult } from '../steps/job-result.ts'
import { jobOptions, KEY_PREFIX, type PublishQueue, QUEUE_NAME } from './open-queue.ts'

/**
 * Adds an accepted job to the queue, with the members of a release. One that is queued or running
 * stays as it is; one that the queue has finished runs again with all its attempts. A job is never
 * removed, so a crash loses none that was accepted.
 * @throws PublishError, CatalogError
 */
export async function enqueueJob(catalog: Catalog, publishQueue: PublishQueue, id: string): Promise<void> {
  const { queue, connection, run } = publishQueue
  const job = await catalog.jobs.get(id)
  if (job === undefined) return
  const members = job.data === null ? await catalog.jobs.members(id) : []
  await run(async () => {
    const state = await queue.getJobState(id)
    if (isFinished(state)) {
      const existing = await queue.getJob(id)
      try {
        // The counter of lost workers, and the mark of a job that has lost too many.
        await connection.hdel(queue.toKey(id), 'stc', 'defa')
        await existing?.retry(state, { resetAttemptsMade: true, resetAttemptsStarted: true })
      } catch (error) {
        // Another producer was faster, or the job was deleted meanwhile.
        if (!isChanged(error)) throw error
      }
    }
    // Without effect if the job exists.
    if (state === 'unknown' || isFinished(state)) await addJob(publishQueue, job, members)
  })
}

async function addJob(
  { queue, flows }: PublishQueue,
  job: JobRecord,
  members: readonly JobRecord[],
): Promise<unknown> {
  const place = { queueName: QUEUE_NAME, prefix: KEY_PREFIX }
  // The queue shows the name; workers read only the id.
  const describe = ({ id, slug }: JobRecord) => ({ data: { slug }, opts: { ...jobOptions, jobId: id } })
  if (job.data !== null) return queue.add('publish', { slug: job.slug }, { jobId: job.id })
  const children = members.map((member) => {
    const { data, opts } = describe(member)
    return { ...place, name: 'member', data, opts: { ...opts, failParentOnFailure: true } }
  })
  return flows.add({ ...place, name: 'release', ...describe(job), children })
}

/**
 * Sees to it that unfinished publishes of packs do not wait for good: adds those that the queue has
 * lost, and ends those that have failed there or whose process has ended.
 * @throws PublishError, CatalogError
 */
export async function settleJobs(
  catalog: Catalog,
  publishQueue: PublishQueue,
  slugs: readonly string[],
  before?: number,
): Promise<void> {
  const { queue, run } = publishQueue
  for (const unfinished of await catalog.jobs.unfinished(slugs, before)) {
    const id = unfinished.release ?? unfinished.id
    if (unfinished.owner !== null) {
      if (isAbandoned(unfinished, new Date())) await endAbandoned(catalog, unfinished)
      continue
    }
    const job = await run(() => queue.getJob(id))
    if ((await run(() => queue.getJobState(id))) !== 'failed') await enqueueJob(catalog, publishQueue, id)
    else
      await recordResult(
        catalog,
        id,
        createFailedResult(unfinished.slug, parseFailure(job?.failedReason ?? ''), id),
      )
  }
}

/**
 * Puts failed jobs back into the queue, with all their attempts. A member of a release stands for
 * the release, whose members that are built stay so.
 * @param id one job; all failed ones without it
 * @returns the ids of jobs and releases
 * @throws PublishError `job_not_failed` for the id
 */
export async function retryJobs(
  catalog: Catalog,
  publishQueue: PublishQueue,
  actor: Actor,
  id?: string,
): Promise<readonly string[]> {
  const { queue, run } = publishQueue
  const failed = id === undefined ? await run(() => queue.getFailed()) : [{ id }]
  const retried: string[] = []
  for (const { id: one = '' } of failed) {
    const found = await catalog.jobs.get(one)
    const job = found?.release ? await catalog.jobs.get(found.release) : found
    const state = job === undefined ? 'not in this catalog' : await run(() => queue.getJobState(job.id))
    if (job !== undefined && state === 'failed') {
      const waiting = await catalog.jobs.retry(job, actor)
      // Added again, a release waits for its members again.
      if (job.data === null) await run(() => queue.remove(job.id, { removeChildren: false }))
      for (const again of waiting) await enqueueJob(catalog, publishQueue, again)
      retried.push(job.id)
    } else if (id !== undefined) {
      const hint = 'Only failed jobs run again; to publish a source once more, use `pack publish`.'
      throw new PublishError('job_not_failed', `Job ${one} is ${state}, not failed`, hint)
    }
  }
  return retried
}

/** Codes of BullMQ for a job that does not exist, or is not in the expected state. */
const CHANGED = new Set([-1, -3])

function isChanged(error: unknown): boolean {
  return error instanceof Error && 'code' in error && CHANGED.has(error.code as number)
}

function isFinished(state: string): state is 'completed' | 'failed' {
  return state === 'completed' || state === 'failed'
}
