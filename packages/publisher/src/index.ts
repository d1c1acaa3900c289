export { createBuildThread, type BuildThread, type BuildVersion } from './build-thread/create-build-thread.ts'
export { createInProcessRunner, type InProcessOptions } from './in-process/create-in-process-runner.ts'
export { findOwnJob, listOwnJobs } from './in-process/job-records.ts'
export { PublishError, type PublishErrorCode, type SourceMessage } from './publish-error.ts'
export type { JobLine, PublishRequest, PublishResult, Runner, RunOptions } from './runner.ts'
export { signVersion, type SignDigest } from './sign-version.ts'
export { planPublish } from './steps/publish-one.ts'
export {
  verifyCatalog,
  type CatalogFault,
  type CatalogVerification,
  type CatalogVerifyOptions,
  type VerifyProgress,
} from './verify-catalog.ts'
export { verifyVersion, type Verification, type VerifyOptions, type VersionCheck } from './verify-version.ts'
export {
  buildVersion,
  type BuiltVersion,
  decideVersion,
  type DecideOptions,
  digestSource,
  type EarlierVersion,
  hashBytes,
  type Level,
  type Parent,
  readSource,
  type ReadSource,
  renumberPack,
  resolveSettings,
  type SourceFile,
  type VersionDecision,
} from './version-builder/index.ts'
export type { VersionLevel } from './version-builder/reason.ts'
