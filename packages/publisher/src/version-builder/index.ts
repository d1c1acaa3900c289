export { buildVersion, type BuiltVersion } from './build-version.ts'
export {
  decideVersion,
  type DecideOptions,
  type EarlierVersion,
  type Parent,
  type VersionDecision,
} from './decide-version.ts'
export {
  digestSource,
  hashBytes,
  readSource,
  resolveSettings,
  type ReadSource,
  type SourceFile,
} from './read-source.ts'
export type { Level } from './reason.ts'
export { renumberPack } from './renumber-pack.ts'
