export { createFairQueue, type FairQueue, type FairQueueOptions } from './create-fair-queue.ts'
export {
  BUILD_SECONDS,
  BuildTimeoutError,
  createTaskThread,
  ThreadEndedError,
  type TaskOptions,
  type TaskThread,
  type TaskThreadOptions,
} from './create-task-thread.ts'
export { lowerPriority, serveTasks } from './serve-tasks.ts'
