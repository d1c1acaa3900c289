export { createFairQueue, type FairQueueOptions } from './create-fair-queue.ts'
export { serveTasks } from './serve-tasks.ts'
export * from './create-task-thread.ts'
