import { sql } from 'kysely'
import { CatalogError } from '../catalog-error.ts'
import type { Database } from '../database/dialect.ts'
import { createCatalogTables } from './0001-catalog.ts'
import { createQuotaTables } from './0002-quota.ts'
import { createListOrders } from './0003-list-orders.ts'
import { createJobOwners } from './0004-job-owners.ts'
import { createSourceTimes } from './0005-source-times.ts'
import type { Migration } from './migration.ts'

/** All steps of the schema, in order. */
const migrations: readonly Migration[] = [
  createCatalogTables,
  createQuotaTables,
  createListOrders,
  createJobOwners,
  createSourceTimes,
]

/**
 * Runs all pending migrations in one transaction. If several processes start, one migrates and the others wait.
 *
 * @throws CatalogError `schema_too_new` if the database has an unknown migration
 */
export async function migrate(database: Database): Promise<void> {
  const { queries, dialect, now } = database
  if ((await listPending(database)).length === 0) return
  await queries.transaction().execute(async (transaction) => {
    await dialect.lockMigrations(transaction)
    const text = sql.raw(dialect.types.text)
    await sql`create table if not exists catalog_migrations (name ${text} primary key, applied_at ${text} not null)`.execute(
      transaction,
    )
    for (const migration of await listPending({ queries: transaction, dialect })) {
      await migration.up(transaction, database)
      await sql`insert into catalog_migrations (name, applied_at)
        values (${migration.name}, ${now().toISOString()})`.execute(transaction)
    }
  })
}

/**
 * Checks that no migration is pending.
 *
 * @throws CatalogError `schema_too_new`, or `catalog_unavailable` if a migration is missing
 */
export async function requireMigrated(database: Database): Promise<void> {
  const [first] = await listPending(database)
  if (first === undefined) return
  throw new CatalogError(
    'catalog_unavailable',
    `The database has an older schema and was opened read-only: it lacks the step ${first.name}`,
    'Start `pack serve` or publish a pack: both migrate the schema.',
  )
}

async function listPending({
  queries,
  dialect,
}: Pick<Database, 'queries' | 'dialect'>): Promise<readonly Migration[]> {
  if (!(await dialect.hasMigrations(queries))) return migrations
  const { rows } = await sql<{ name: string }>`select name from catalog_migrations`.execute(queries)
  const done = new Set(rows.map(({ name }) => name))
  const unknown = [...done].filter((name) => !migrations.some((migration) => migration.name === name))
  if (unknown.length > 0) {
    throw new CatalogError(
      'schema_too_new',
      `The database was written by a newer version of this program: the step ${unknown.toSorted().join(', ').slice(0, 80)} is unknown`,
      'Run the newest version of this program that has opened the database, or restore an older backup.',
    )
  }
  return migrations.filter(({ name }) => !done.has(name))
}
