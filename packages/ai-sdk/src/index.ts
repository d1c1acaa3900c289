export { packs, type PacksOptions } from './packs-middleware.ts'
export { packTools, type PackTools, type ToolAnswer } from './pack-tools.ts'
