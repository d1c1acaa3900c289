import { FlowProducer, Queue, type JobsOptions, type Job } from 'bullmq'
import { connectRedis, type RedisConnection, explainQueueError } from './connect-redis.ts'
import type { JobLine, JobList } from '../runner.ts'
import { parseFailure } from '../steps/job-result.ts'

/** The braces of the prefix keep all keys on one node of a Redis Cluster. */
export const QUEUE_NAME = 'publish'
export const KEY_PREFIX = '{packs}'

/** How long finished jobs are kept, in seconds, and how many. */
const COMPLETED = { age: 86_400, count: 1000 }
const FAILED = { age: 604_800, count: 5000 }

/** Up to 1, 2, 4 and 8 s apart. Half of the delay is random, so that retries spread out. */
export const jobOptions: JobsOptions = {
  attempts: 5,
  backoff: { type: 'exponential', delay: 1000, jitter: 0.5 },
  removeOnComplete: COMPLETED,
  removeOnFail: FAILED,
}

/**
 * Milliseconds: a lost worker is noticed after 5-10 s. Its job is restarted three times, because
 * most are lost to deployments and outages of Redis; too large a build ends only the process of its
 * job.
 */
export const workerSettings = {
  lockDuration: 5000,
  stalledInterval: 5000,
  maxStalledCount: 3,
} as const

/** The publish queue, for producers and status queries. Its methods throw a `PublishError`. */
export interface PublishQueue extends JobList {
  readonly queue: Queue
  readonly flows: FlowProducer
  readonly connection: RedisConnection
  /** Runs an operation on the queue and converts errors of Redis. */
  readonly run: <T>(operation: () => Promise<T>) => Promise<T>
  /** @param now in milliseconds since 1970 */
  measure(now: number): Promise<QueueFigures>
  close(): Promise<void>
}

/** @throws PublishError `invalid_redis_url`, `queue_unavailable`, `queue_evicts` */
export async function openQueue(redisUrl: string): Promise<PublishQueue> {
  const connection = await connectRedis(redisUrl, 'producer')
  const shared = { connection, prefix: KEY_PREFIX }
  const queue = new Queue(QUEUE_NAME, { ...shared, defaultJobOptions: jobOptions })
  const flows = new FlowProducer(shared)
  // Callers get errors as rejections. Without a listener they would also end the process.
  queue.on('error', () => undefined)
  flows.on('error', () => undefined)
  const run: PublishQueue['run'] = async (operation) => {
    try {
      return await operation()
    } catch (error) {
      throw explainQueueError(error)
    }
  }
  return {
    queue,
    flows,
    connection,
    run,
    list: (limit) => run(() => listJobs(queue, limit)),
    find: (id) =>
      run(async () => {
        const job = await queue.getJob(id)
        return job && describeJob(job, await job.getState())
      }),
    measure: (now) => run(() => measureQueue(queue, now)),
    async close() {
      await Promise.allSettled([queue.close(), flows.close()])
      connection.disconnect()
    },
  }
}

const STATES = ['active', 'waiting', 'waiting-children', 'delayed', 'failed', 'completed'] as const

async function listJobs(queue: Queue, limit: number): Promise<readonly JobLine[]> {
  const lines: JobLine[] = []
  for (const state of STATES) {
    if (lines.length >= limit) break
    const jobs = await queue.getJobs([state], 0, limit - lines.length - 1)
    for (const job of jobs) if (job) lines.push(describeJob(job, state))
  }
  return lines
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
    // Not `attemptsStarted`: a start that waited for an earlier job or the database was no attempt.
    attempts: job.attemptsMade + (state === 'active' ? 1 : 0),
    at: new Date(job.finishedOn ?? job.processedOn ?? job.timestamp).toISOString(),
    error: failure && state !== 'completed' ? `${failure.code}: ${failure.message}` : null,
  }
}

export interface QueueFigures {
  readonly jobs: Readonly<Record<string, number>>
  readonly workers: number
  /** Waiting time of the next job in milliseconds; 0 if none waits. */
  readonly oldestWait: number
}

async function measureQueue(queue: Queue, now: number): Promise<QueueFigures> {
  const jobs = await queue.getJobCounts(...STATES)
  const [next] = await queue.getJobs(['waiting'], 0, 0, true)
  const oldestWait = next ? Math.max(0, now - next.timestamp) : 0
  return { jobs, workers: await queue.getWorkersCount(), oldestWait }
}
