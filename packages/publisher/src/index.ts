export { createBuildThread, type BuildThread, type BuildVersion } from './build-thread/create-build-thread.ts'
export { createInProcessRunner, type InProcessOptions } from './in-process/create-in-process-runner.ts'
export { findOwnJob, listOwnJobs } from './in-process/create-in-process-runner.ts'
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
export { buildVersion, type BuiltVersion } from './version-builder/build-version.ts'
export type { Level, VersionLevel } from './version-builder/compare-sources.ts'
export {
  decideVersion,
  type DecideOptions,
  type EarlierVersion,
  type Parent,
  type VersionDecision,
} from './version-builder/decide-version.ts'
export { renumberPack } from './version-builder/renumber-pack.ts'
export {
  digestSource,
  hashBytes,
  readSource,
  type ReadSource,
  resolveSettings,
  type SourceFile,
} from './version-builder/read-source.ts'
