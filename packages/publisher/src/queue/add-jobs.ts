import {
  createMemberData,
  createSingleData,
  deriveJobId,
  deriveMemberId,
  deriveReleaseId,
  type PublishJob,
  type ReleaseData,
} from '../steps/job-data.ts'
import { jobOptions, KEY_PREFIX, QUEUE_NAME, type PublishQueue } from './open-queue.ts'

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
 * Adds a release. If it is queued or running, it stays as it is; if it is finished, it is added
 * again under another id.
 *
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
