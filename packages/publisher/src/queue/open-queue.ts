import { FlowProducer, type JobsOptions, Queue } from 'bullmq'
import { connectRedis } from './connect-redis.ts'
import { explainQueueError } from './explain-queue-error.ts'

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

/** The publish queue, for those who add and look. */
export interface PublishQueue {
  readonly queue: Queue
  readonly flows: FlowProducer
  readonly redisUrl: string
  /** Runs a operation or an order, and tells its failure as the publisher does. @throws PublishError */
  readonly run: <T>(operation: () => Promise<T>) => Promise<T>
  close(): Promise<void>
}

/** Opens the queue; Redis must be there. @throws PublishError `invalid_redis_url`, `queue_unavailable`, `queue_evicts` */
export async function openQueue(redisUrl: string): Promise<PublishQueue> {
  const connection = await connectRedis(redisUrl, 'producer')
  const shared = { connection, prefix: KEY_PREFIX }
  const queue = new Queue(QUEUE_NAME, { ...shared, defaultJobOptions: jobOptions })
  const flows = new FlowProducer(shared)
  // Failures reach whoever asked; without a listener they would end the process as well.
  queue.on('error', () => undefined)
  flows.on('error', () => undefined)
  return {
    queue,
    flows,
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
