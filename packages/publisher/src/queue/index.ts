export { connectRedis } from './connect-redis.ts'
export { createQueueRunner } from './create-queue-runner.ts'
export { openQueue } from './open-queue.ts'
export { startWorker } from './start-worker.ts'
