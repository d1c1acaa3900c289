import type { Job } from 'bullmq'
import type { JobLine } from '../runner.ts'
import { parseFailure } from '../steps/describe-failure.ts'
import type { PublishQueue } from './open-queue.ts'

const STATES = ['active', 'waiting', 'waiting-children', 'delayed', 'failed', 'completed'] as const

/** Lists jobs by state: active, waiting, failed, completed, each newest first. @throws PublishError */
export async function listJobs({ queue, run }: PublishQueue, limit: number): Promise<readonly JobLine[]> {
  const lines: JobLine[] = []
  for (const state of STATES) {
    if (lines.length >= limit) break
    const jobs = await run(() => queue.getJobs([state], 0, limit - lines.length - 1))
    for (const job of jobs) if (job) lines.push(describeJob(job, state))
  }
  return lines
}

/** Finds a job of the queue. @throws PublishError */
export async function findJob({ queue, run }: PublishQueue, id: string): Promise<JobLine | undefined> {
  const job = await run(() => queue.getJob(id))
  return job && describeJob(job, await run(() => job.getState()))
}

/** Reads the progress of a job in percent; 0 if it has not started. */
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

/** Measurements of the queue. */
export interface QueueFigures {
  /** Number of jobs by state. */
  readonly jobs: Readonly<Record<string, number>>
  readonly workers: number
  /** Waiting time of the next job in milliseconds; 0 if none waits. */
  readonly oldestWait: number
}

/** Measures the queue. @param now in milliseconds since 1970 @throws PublishError */
export async function measureQueue({ queue, run }: PublishQueue, now: number): Promise<QueueFigures> {
  return run(async () => {
    const counts = await queue.getJobCounts(
      'active',
      'waiting',
      'waiting-children',
      'delayed',
      'failed',
      'completed',
    )
    const [next] = await queue.getJobs(['waiting'], 0, 0, true)
    return {
      jobs: counts,
      workers: await queue.getWorkersCount(),
      oldestWait: next ? Math.max(0, now - next.timestamp) : 0,
    }
  })
}
