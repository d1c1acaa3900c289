export { PublishError, type PublishErrorCode, type SourceMessage } from '../publish-error.ts'
export {
  buildVersion,
  readSource,
  renumberPack,
  type BuiltVersion,
  type ReadSource,
  type SourceFile,
} from './build-version.ts'
export {
  decideVersion,
  type DecideOptions,
  type EarlierVersion,
  type Parent,
  type VersionDecision,
} from './decide-version.ts'
export { digestSource, hashBytes, resolveSettings } from './digest-source.ts'
export type { Level } from './reason.ts'
