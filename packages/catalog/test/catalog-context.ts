import type { Catalog } from '@packs/catalog'
import type { TestDatabase } from '../../test-kit/test/test-database.ts'

/** Created anew for each contract test. */
export interface CatalogContext {
  /** An empty catalog. */
  readonly catalog: Catalog
  /** Its database URL. */
  readonly url: string
  readonly database: TestDatabase
}
