import type { Job } from 'bullmq'
import type { JobLine } from '../job-line.ts'
import { parseFailure } from './failure-text.ts'
import type { PublishQueue } from './open-queue.ts'

const STATES = ['active', 'waiting', 'waiting-children', 'delayed', 'failed', 'completed'] as const

/** Lists jobs of the queue: those under way, then waiting, failed and done, the newest of each state first. @throws PublishError */
export async function listJobs({ queue, ask }: PublishQueue, limit: number): Promise<readonly JobLine[]> {
  const lines: JobLine[] = []
  for (const state of STATES) {
    if (lines.length >= limit) break
    const jobs = await ask(() => queue.getJobs([state], 0, limit - lines.length - 1))
    for (const job of jobs) if (job) lines.push(describeJob(job, state))
  }
  return lines
}

/** Gives one job of the queue. @throws PublishError */
export async function findJob({ queue, ask }: PublishQueue, id: string): Promise<JobLine | undefined> {
  const job = await ask(() => queue.getJob(id))
  return job && describeJob(job, await ask(() => job.getState()))
}

/** Percents of a job done; a job that has not begun has none. */
export function readProgress({ progress }: Job): number {
  return typeof progress === 'number' ? Math.min(100, Math.max(0, progress)) : 0
}

function describeJob(job: Job, state: string): JobLine {
  const failure = job.failedReason ? parseFailure(job.failedReason) : undefined
  const data = job.data as { readonly slug?: unknown } | undefined
  return {
    id: job.id ?? '',
    slug: typeof data?.slug === 'string' ? data.slug : '',
    state,
    progress: state === 'completed' ? 100 : readProgress(job),
    attempts: job.attemptsStarted,
    error: failure && state !== 'completed' ? `${failure.code}: ${failure.message}` : null,
  }
}
