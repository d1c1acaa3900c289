import type { Catalog, JobRecord } from '@packs/catalog'
import type { JobLine } from '../job-line.ts'
import { isOwnerRunning } from './job-owner.ts'

/** Longest silence of a job whose process is none of this machine, in milliseconds. */
const SILENCE_MS = 24 * 60 * 60 * 1000

/**
 * Lists publishes that ran in process, newest first. One whose process was killed is told as failed: nothing of it was
 * published, as the commit of a version completes its job.
 */
export async function listOwnJobs(
  { jobs }: Pick<Catalog, 'jobs'>,
  limit: number,
  now: Date,
): Promise<readonly JobLine[]> {
  return (await jobs.list(limit)).map((job) => describeJob(job, now))
}

/** Gives one publish that ran in process, as {@link listOwnJobs} tells it. */
export async function findOwnJob(
  { jobs }: Pick<Catalog, 'jobs'>,
  id: string,
  now: Date,
): Promise<JobLine | undefined> {
  const job = await jobs.get(id)
  return job && describeJob(job, now)
}

function describeJob(record: JobRecord, now: Date): JobLine {
  const { owner: _owner, updated_at: _updated, ...line } = record
  if (!isAbandoned(record, now)) return line
  const error =
    'job_abandoned: The process that worked on it ended in the middle, and nothing of it was published: publish again'
  return { ...line, state: 'failed', error }
}

function isAbandoned({ state, owner, updated_at }: JobRecord, now: Date): boolean {
  if (state !== 'active') return false
  const isRunning = owner === null ? undefined : isOwnerRunning(owner)
  return isRunning === undefined ? now.getTime() - Date.parse(updated_at) > SILENCE_MS : !isRunning
}
