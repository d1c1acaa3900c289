export { createFairQueue, type FairQueue, type FairQueueOptions } from './create-fair-queue.ts'
export * from './create-task-thread.ts'
export { lowerPriority, serveTasks } from './serve-tasks.ts'
