import { FlowProducer, Queue } from 'bullmq'
import { connectRedis } from './connect-redis.ts'
import { explainQueueError } from './explain-queue-error.ts'
import { jobOptions, KEY_PREFIX, QUEUE_NAME } from './queue-settings.ts'

/** The publish queue, for those who add and look. */
export interface PublishQueue {
  readonly queue: Queue
  readonly flows: FlowProducer
  readonly redisUrl: string
  /** Runs a question or an order, and tells its failure as the publisher does. @throws PublishError */
  readonly ask: <T>(question: () => Promise<T>) => Promise<T>
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
    async ask(question) {
      try {
        return await question()
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
