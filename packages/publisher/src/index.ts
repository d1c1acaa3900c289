export {
  buildHere as buildVersion,
  createBuildThread,
  type BuildThread,
  type BuildVersion,
} from './build-thread/create-build-thread.ts'
export { createInProcessRunner, type InProcessOptions } from './in-process/create-in-process-runner.ts'
export { findOwnJob, listOwnJobs } from './in-process/create-in-process-runner.ts'
export { PublishError, type PublishErrorCode, type SourceMessage } from './publish-error.ts'
export type { JobLine, PublishRequest, PublishResult, Runner, RunOptions } from './runner.ts'
export {
  connectRedis,
  createQueueRunner,
  findJob,
  listJobs,
  measureQueue,
  openQueue,
  startWorker,
} from './queue/on-demand.ts'
export type { RedisConnection } from './queue/connect-redis.ts'
export type { PublishQueue, QueueFigures } from './queue/open-queue.ts'
export type { RunningWorker, WorkerLog, WorkerOptions } from './queue/start-worker.ts'
export { signVersion, type SignDigest } from './sign-version.ts'
export { planPublish } from './steps/commit-versions.ts'
export {
  verifyCatalog,
  type CatalogFault,
  type CatalogVerification,
  type CatalogVerifyOptions,
  type VerifyProgress,
  verifyVersion,
  type Verification,
  type VerifyOptions,
  type VersionCheck,
} from './verify-catalog.ts'
export type { BuiltVersion } from './version-builder/build-version.ts'
export type { Level, VersionLevel } from './version-builder/compare-sources.ts'
export {
  decideVersion,
  type DecideOptions,
  type EarlierVersion,
  type Parent,
  type VersionDecision,
  renumberPack,
} from './version-builder/decide-version.ts'
export {
  digestSource,
  hashBytes,
  readSource,
  type ReadSource,
  resolveSettings,
  type SourceFile,
} from './version-builder/read-source.ts'
