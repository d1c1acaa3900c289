import { createCatalogTables } from './0001-catalog.ts'
import { createQuotaTables } from './0002-quota.ts'
import type { Migration } from './migration.ts'

/** Every step of the schema, in order. */
export const migrations: readonly Migration[] = [createCatalogTables, createQuotaTables]
