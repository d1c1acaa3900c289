import { createCatalogTables } from './0001-catalog.ts'
import type { Migration } from './migration.ts'

/** Every step of the schema, in order. */
export const migrations: readonly Migration[] = [createCatalogTables]
