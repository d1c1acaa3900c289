import type { Job } from 'bullmq'
import { PublishError } from '../publish-error.ts'
import {
  createMemberData,
  createSingleData,
  deriveJobId,
  deriveMemberId,
  deriveReleaseId,
  publishJobSchema,
  type PublishJob,
  type ReleaseData,
  type SingleData,
} from '../steps/job-data.ts'
import { isSameOrigin } from '../steps/prepare-version.ts'
import { jobOptions, KEY_PREFIX, QUEUE_NAME, type PublishQueue } from './open-queue.ts'

/**
 * Rounds of adding a job that other producers and workers change at the same time. Each lost round
 * is their progress.
 */
const MAX_ROUNDS = 100

/**
 * Adds the publish of one source. Returns the id of its job.
 *
 * If the job is queued or running, it is joined: it gets this path, git commit and actor, which it
 * records when it commits. If it has failed, or has completed without its version in this catalog,
 * it runs again with these data and all its attempts. A job is never removed, so a crash loses none
 * that was accepted.
 *
 * @throws PublishError
 */
export async function addPublish(publishQueue: PublishQueue, job: PublishJob): Promise<string> {
  const id = deriveJobId(job)
  const data = createSingleData(job)
  return publishQueue.run(async () => {
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      if (await tryAdd(publishQueue, id, data)) return id
    }
    throw new PublishError(
      'queue_unavailable',
      `Job ${id} changes all the time`,
      'Other programs publish the same source at the same time: publish again when they are done.',
    )
  })
}

/** Tells whether the job has these data now and will run or is running. */
async function tryAdd({ queue, connection }: PublishQueue, id: string, data: SingleData): Promise<boolean> {
  const existing = await queue.getJob(id)
  if (existing === undefined) {
    // Without effect if another producer has added the job meanwhile: the next round joins that one.
    await queue.add(data.kind, data, { jobId: id })
    const added = await queue.getJob(id)
    return added === undefined || hasOrigin(added, data)
  }
  try {
    await existing.updateData(data)
    // The counter of lost workers, and the mark of a job that has lost too many.
    await connection.hdel(queue.toKey(id), 'stc', 'defa')
    const state = await existing.getState()
    if (!isFinished(state)) return state !== 'unknown'
    await existing.retry(state, { resetAttemptsMade: true, resetAttemptsStarted: true })
    return true
  } catch (error) {
    // Ignored if the job was taken, retried or deleted meanwhile.
    if (isChanged(error)) return false
    throw error
  }
}

/** Codes of BullMQ for a job that does not exist, or is not in the expected state. */
const CHANGED = new Set([-1, -3])

function isChanged(error: unknown): boolean {
  return error instanceof Error && 'code' in error && CHANGED.has(error.code as number)
}

function isFinished(state: string): state is 'completed' | 'failed' {
  return state === 'completed' || state === 'failed'
}

function hasOrigin({ data }: Job, wanted: PublishJob): boolean {
  const found = publishJobSchema.safeParse(data).data
  return found !== undefined && isSameOrigin(found, wanted)
}

/** A release in the queue: the id of the committing job, and those of its members by slug. */
export interface AddedRelease {
  readonly id: string
  readonly members: ReadonlyMap<string, string>
}

/**
 * Adds a release. If it is queued or running, it is joined, and its members get these paths, git
 * commits and actors. If it is finished, it is added again under another id.
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
    for (let again = 2; ; again++) {
      const state = await publishQueue.queue.getJobState(id)
      if (!isFinished(state)) {
        const members = new Map(jobs.map((job) => [job.slug, deriveMemberId(id, job)]))
        if (state === 'unknown') await addFlow(publishQueue, name, { id, members }, jobs)
        await updateMembers(publishQueue, { id, members }, jobs)
        if (state === 'unknown' || !isFinished(await publishQueue.queue.getJobState(id)))
          return { id, members }
      }
      id = `${first}-${again}`
    }
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

/**
 * Gives the members these paths, git commits and actors, also those that are built: the release
 * reads them when it commits.
 */
async function updateMembers(
  { queue }: PublishQueue,
  { id, members }: AddedRelease,
  jobs: readonly PublishJob[],
): Promise<void> {
  for (const job of jobs) {
    const existing = await queue.getJob(members.get(job.slug)!)
    if (existing === undefined || hasOrigin(existing, job)) continue
    await existing.updateData(createMemberData(id, job)).catch((error: unknown) => {
      if (!isChanged(error)) throw error
    })
  }
}
