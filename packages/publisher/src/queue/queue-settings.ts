import type { JobsOptions } from 'bullmq'

/** Name of the queue, and the prefix of its keys: its braces keep them on one node of a Redis Cluster. */
export const QUEUE_NAME = 'publish'
export const KEY_PREFIX = '{packs}'

/** Seconds for which finished jobs are kept, and how many. */
const COMPLETED = { age: 86_400, count: 1000 }
const FAILED = { age: 604_800, count: 5000 }

/** Five starts, 1, 2, 4 and 8 s apart, half of it by chance so that many do not come back at once. */
export const jobOptions: JobsOptions = {
  attempts: 5,
  backoff: { type: 'exponential', delay: 1000, jitter: 0.5 },
  removeOnComplete: COMPLETED,
  removeOnFail: FAILED,
}

/** How a worker holds its jobs, in milliseconds: one that is gone is noticed after 5-10 s, and given another chance once. */
export const workerSettings = {
  lockDuration: 5000,
  stalledInterval: 5000,
  maxStalledCount: 1,
} as const
