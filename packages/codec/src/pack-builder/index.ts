export { buildPack, buildPackSync, type BuildOptions, type BuildResult } from './build-pack.ts'
export { buildTogether, type SharedBuild } from './build-together.ts'
export { serializePack } from '../pack/pack-fields.ts'
export { buildRules, type BuildRule } from './diagnostics.ts'
