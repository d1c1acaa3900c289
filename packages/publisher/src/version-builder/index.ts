export { PublishError, type PublishErrorCode, type SourceMessage } from '../publish-error.ts'
export { buildVersion, renumberPack, type BuiltVersion } from './build-version.ts'
export {
  readSource,
  type ReadSource,
  type SourceFile,
  digestSource,
  hashBytes,
  resolveSettings,
} from './read-source.ts'
export {
  decideVersion,
  type DecideOptions,
  type EarlierVersion,
  type Parent,
  type VersionDecision,
} from './decide-version.ts'
export type { Level } from './reason.ts'
