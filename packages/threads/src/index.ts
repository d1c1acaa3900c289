export { createFairQueue, type FairQueueOptions } from './create-fair-queue.ts'
export { lowerPriority, serveTasks } from './serve-tasks.ts'
export * from './create-task-thread.ts'
