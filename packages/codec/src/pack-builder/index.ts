export { buildPack, buildPackSync, type BuildOptions, type BuildResult } from './build-pack.ts'
export { buildTogether, type SharedBuild } from './build-together.ts'
// For programs that load their tokenizer themselves: @packs/codec/compress loads o200k_base with its ranks.
export { compress } from '../compress/compress.ts'
export { explainCompression } from '../compress/explain/explain-compression.ts'
export { describeRejection, type Rejection } from '../compress/explain/rejection.ts'
export type { Compression } from '../compress/types.ts'
export { serializePack } from '../pack/pack-fields.ts'
export { buildRules, type BuildRule } from './diagnostics.ts'
