export { packs, type PacksOptions } from './packs-middleware.ts'
export { packTools, type PackTools } from './pack-tools.ts'
export type { ReadAnswer } from './read-pack.ts'
export type { SearchAnswer } from './search-packs.ts'
