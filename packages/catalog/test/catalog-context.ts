import type { Catalog } from '@packs/catalog'
import type { TestDatabase } from './test-database.ts'

/** What each test of the contract gets anew. */
export interface CatalogContext {
  /** An empty catalog. */
  readonly catalog: Catalog
  /** Where it is. */
  readonly url: string
  readonly database: TestDatabase
}
