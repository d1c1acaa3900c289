export type * from './catalog.ts'
export { CatalogError, type CatalogErrorCode } from './catalog-error.ts'
export type * from './types.ts'
