import type * as queue from './queue/index.ts'

export { createInProcessRunner, openOwnJobs } from './in-process/create-in-process-runner.ts'
export { PublishError, type PublishErrorCode, type SourceMessage } from './publish-error.ts'
export type { JobLine, JobList, PublishRequest, PublishResult, Runner, RunOptions } from './runner.ts'
export {
  createPublishProcess,
  type PublishAnswer,
  type PublishServices,
  type PublishTask,
} from './publish-process/create-publish-process.ts'
export { readJob } from './in-process/create-in-process-runner.ts'
export type { PublishQueue, QueueFigures } from './queue/open-queue.ts'
export type { RunningWorker, WorkerLog, WorkerOptions } from './queue/start-worker.ts'
export { signVersion } from './sign-version.ts'
export { planPublish } from './steps/commit-versions.ts'
export {
  verifyCatalog,
  type CatalogFault,
  type CatalogVerification,
  type VerifyProgress,
  verifyVersion,
  type Verification,
} from './verify-catalog.ts'
export type { VersionLevel } from './version-builder/compare-sources.ts'
export type { DecideOptions } from './version-builder/decide-version.ts'
export { readSource, type SourceFile } from './version-builder/read-source.ts'

/** BullMQ and ioredis take longer to load than most commands take to run. */
export const loadQueue = (): Promise<typeof queue> => import('./queue/index.ts')
