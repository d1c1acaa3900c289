// BullMQ and ioredis are loaded when the queue is used, because they take longer to load than most
// commands take to run.
import type * as redis from './connect-redis.ts'
import type * as runner from './create-queue-runner.ts'
import type * as queue from './open-queue.ts'
import type * as worker from './start-worker.ts'

/**
 * Connects to Redis, or to the cluster that the node belongs to.
 * @param role decides how long commands wait while Redis cannot be reached
 * @throws PublishError `invalid_redis_url`, `queue_unavailable`, `queue_evicts`
 */
export const connectRedis: typeof redis.connectRedis = async (...args) =>
  (await import('./connect-redis.ts')).connectRedis(...args)

/**
 * Creates a runner that queues publishes for workers.
 * @throws PublishError `invalid_redis_url`, `queue_unavailable`, `queue_evicts`
 */
export const createQueueRunner: typeof runner.createQueueRunner = async (...args) =>
  (await import('./create-queue-runner.ts')).createQueueRunner(...args)

/**
 * Opens the queue and checks that Redis is reachable.
 * @throws PublishError `invalid_redis_url`, `queue_unavailable`, `queue_evicts`
 */
export const openQueue: typeof queue.openQueue = async (...args) =>
  (await import('./open-queue.ts')).openQueue(...args)

/**
 * Starts a worker of the publish queue.
 * @throws PublishError `queue_unavailable`, `queue_evicts`
 * @throws CatalogError if the database cannot be used
 */
export const startWorker: typeof worker.startWorker = async (...args) =>
  (await import('./start-worker.ts')).startWorker(...args)
