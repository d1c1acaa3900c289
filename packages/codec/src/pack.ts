// Whole files: a bundle in parts would load all of them for a part that needs one name.
export * from './pack-builder/build-pack.ts'
export type { BuildOptions, BuildResult } from './pack-builder/build-pack-sync.ts'
export type { BuildRule } from './pack-builder/diagnostics.ts'
export type { JsonObject, JsonValue } from './pack/canonical-json.ts'
export type { Dialect, MinifyOptions, MinifyRule } from './minify/types.ts'
export * from './pack/check-pack.ts'
export * from './pack/pack-error.ts'
export * from './pack/pack-schema.ts'
export * from './pack/parse-pack.ts'
export type { SourceRule } from './source/messages.ts'
export * from './source/parse-source.ts'
export type {
  Position,
  Source,
  SourceDefaults,
  SourceMessage,
  SourceOptions,
  SourceResult,
} from './source/types.ts'
