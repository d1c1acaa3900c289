export type * from './catalog.ts'
export { CatalogError, type CatalogErrorCode } from './catalog-error.ts'
export { openCatalog, type CatalogOptions } from './open-catalog.ts'
export type * from './types.ts'
