import { createCatalogTables } from './0001-catalog.ts'
import { createQuotaTables } from './0002-quota.ts'
import { createListOrders } from './0003-list-orders.ts'
import { createJobOwners } from './0004-job-owners.ts'
import { createSourceTimes } from './0005-source-times.ts'
import type { Migration } from './migration.ts'

/** Every step of the schema, in order. */
export const migrations: readonly Migration[] = [
  createCatalogTables,
  createQuotaTables,
  createListOrders,
  createJobOwners,
  createSourceTimes,
]
