import { FlowProducer, Queue, type JobsOptions } from 'bullmq'
import { connectRedis, type RedisConnection } from './connect-redis.ts'
import { explainQueueError } from './explain-queue-error.ts'

/** Name of the queue and prefix of its keys. The braces keep all keys on one node of a Redis Cluster. */
export const QUEUE_NAME = 'publish'
export const KEY_PREFIX = '{packs}'

/** How long finished jobs are kept, in seconds, and how many. */
const COMPLETED = { age: 86_400, count: 1000 }
const FAILED = { age: 604_800, count: 5000 }

/** Five attempts, up to 1, 2, 4 and 8 s apart. Half of the delay is random, so that retries spread out. */
export const jobOptions: JobsOptions = {
  attempts: 5,
  backoff: { type: 'exponential', delay: 1000, jitter: 0.5 },
  removeOnComplete: COMPLETED,
  removeOnFail: FAILED,
}

/** Locks of running jobs, in milliseconds: a lost worker is noticed after 5-10 s, and its job is restarted once. */
export const workerSettings = {
  lockDuration: 5000,
  stalledInterval: 5000,
  maxStalledCount: 1,
} as const

/** The publish queue, for producers and status queries. */
export interface PublishQueue {
  readonly queue: Queue
  readonly flows: FlowProducer
  readonly connection: RedisConnection
  readonly redisUrl: string
  /** Runs an operation on the queue and converts errors of Redis. @throws PublishError */
  readonly run: <T>(operation: () => Promise<T>) => Promise<T>
  close(): Promise<void>
}

/** Opens the queue and checks that Redis is reachable. @throws PublishError `invalid_redis_url`, `queue_unavailable`, `queue_evicts` */
export async function openQueue(redisUrl: string): Promise<PublishQueue> {
  const connection = await connectRedis(redisUrl, 'producer')
  const shared = { connection, prefix: KEY_PREFIX }
  const queue = new Queue(QUEUE_NAME, { ...shared, defaultJobOptions: jobOptions })
  const flows = new FlowProducer(shared)
  // Callers get errors as rejections. Without a listener they would also end the process.
  queue.on('error', () => undefined)
  flows.on('error', () => undefined)
  return {
    queue,
    flows,
    connection,
    redisUrl,
    async run(operation) {
      try {
        return await operation()
      } catch (error) {
        throw explainQueueError(error)
      }
    },
    async close() {
      await Promise.allSettled([queue.close(), flows.close()])
      connection.disconnect()
    },
  }
}
