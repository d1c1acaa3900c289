export { packs, type PacksOptions } from './packs-middleware.ts'
export { packTools, type PackTools, type ReadAnswer, type SearchAnswer } from './pack-tools.ts'
