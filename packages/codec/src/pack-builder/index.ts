export { buildPack, buildPackSync, type BuildOptions, type BuildResult } from './build-pack.ts'
// For programs that load their tokenizer themselves: @packs/codec/compress loads o200k_base with its ranks.
export { compress } from '../compress/compress.ts'
export { serializePack } from '../pack/pack-fields.ts'
export { buildRules, type BuildRule } from './diagnostics.ts'
export { cutPreview, type Preview, type PreviewInput, type PreviewKind } from '../preview/cut-preview.ts'
