import type { Job } from 'bullmq'
import {
  deriveJobId,
  deriveMemberId,
  deriveReleaseId,
  type MemberData,
  type PublishJob,
  type ReleaseData,
  type SingleData,
} from '../steps/job-data.ts'
import { jobOptions, KEY_PREFIX, QUEUE_NAME, type PublishQueue } from './open-queue.ts'

/**
 * Adds the publish of one source, or joins the same one if it is queued or running. Returns the id of its job.
 *
 * Adding a job whose id exists succeeds without any effect, even if that job has failed, so it is checked first.
 *
 * @throws PublishError
 */
export async function addPublish({ queue, run }: PublishQueue, job: PublishJob): Promise<string> {
  const id = deriveJobId(job)
  const data: SingleData = { kind: 'publish', ...job }
  await run(async () => {
    const existing = await queue.getJob(id)
    if (existing) await resetJob(existing)
    await queue.add(data.kind, data, { jobId: id })
  })
  return id
}

/**
 * Adds a release, or joins the same one if it is queued or running. Returns the ids of the committing job and of its members.
 *
 * @throws PublishError
 */
export async function addRelease(
  { queue, flows, run }: PublishQueue,
  name: string,
  jobs: readonly PublishJob[],
): Promise<{ readonly id: string; readonly members: ReadonlyMap<string, string> }> {
  const first = deriveReleaseId(name, jobs)
  return run(async () => {
    let id = first
    let state = await queue.getJobState(id)
    for (let again = 2; state === 'failed' || state === 'completed'; again++) {
      id = `${first}-${again}`
      state = await queue.getJobState(id)
    }
    const members = new Map(jobs.map((job) => [job.slug, deriveMemberId(id, job)]))
    if (state !== 'unknown') return { id, members }
    const data: ReleaseData = { kind: 'release', slug: name }
    await flows.add({
      name: data.kind,
      queueName: QUEUE_NAME,
      prefix: KEY_PREFIX,
      data,
      opts: { ...jobOptions, jobId: id },
      children: jobs.map((job) => {
        const member: MemberData = { kind: 'member', release: id, ...job }
        return {
          name: member.kind,
          queueName: QUEUE_NAME,
          prefix: KEY_PREFIX,
          data: member,
          opts: { ...jobOptions, jobId: members.get(job.slug)!, failParentOnFailure: true },
        }
      }),
    })
    return { id, members }
  })
}

/** Gives a failed job all its attempts again. Removes a completed job, because the catalog lacks its version. */
async function resetJob(job: Job): Promise<void> {
  const state = await job.getState()
  try {
    if (state === 'failed') await job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true })
    else if (state === 'completed') await job.remove()
  } catch (error) {
    // Ignored if another producer has reset it meanwhile.
    if ((await job.getState()) === state) throw error
  }
}
