export { buildPack, type BuildOptions, type BuildResult } from './build-pack.ts'
export { buildTogether, type SharedBuild } from './build-together.ts'
export { buildRules, type BuildRule } from './diagnostics.ts'
