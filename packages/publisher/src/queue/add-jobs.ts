import type { Job } from 'bullmq'
import {
  type MemberData,
  type PublishJob,
  type ReleaseData,
  type SingleData,
  deriveJobId,
  deriveMemberId,
  deriveReleaseId,
} from '../steps/job-data.ts'
import { type PublishQueue, jobOptions, KEY_PREFIX, QUEUE_NAME } from './open-queue.ts'

/**
 * Adds the publish of one source, or joins the one that is under way; gives the id of its job.
 *
 * Adding a job that exists looks like success and does nothing, also where that one has failed: so it is looked at first.
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
 * Adds a release, or joins the same one that is under way; gives the ids of the job that commits and of its members.
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

/** A failed job gets all its attempts again; one that is done although the catalog knows nothing of it makes room. */
async function resetJob(job: Job): Promise<void> {
  const state = await job.getState()
  try {
    if (state === 'failed') await job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true })
    else if (state === 'completed') await job.remove()
  } catch (error) {
    // Another producer was quicker.
    if ((await job.getState()) === state) throw error
  }
}
