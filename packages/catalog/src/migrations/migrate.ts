import { sql } from 'kysely'
import { Migrator, type Migration } from 'kysely/migration'
import { CatalogError } from '../catalog-error.ts'
import type { Database, Queries } from '../database/database.ts'
import { createCatalog } from './0001-catalog.ts'

const TABLE = 'migrations'

/** The steps of the schema. They run in the order of their names. */
function listSteps(database: Database): Readonly<Record<string, Migration>> {
  return {
    '0001-catalog': { up: (transaction) => createCatalog(transaction as Queries, database) },
  }
}

/**
 * Runs missing steps in one transaction. Of several processes one runs them, others wait.
 * @throws CatalogError `schema_too_old` or `schema_too_new`
 */
export async function migrate(database: Database): Promise<void> {
  if ((await listPending(database)).length === 0) return
  const migrator = new Migrator({
    db: database.queries,
    provider: { getMigrations: () => Promise.resolve(listSteps(database)) },
    migrationTableName: TABLE,
    migrationLockTableName: 'migration_lock',
  })
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) throw error as Error
}

/** @throws CatalogError `schema_too_old`, `schema_too_new`, `catalog_unavailable` without a step */
export async function requireMigrated(database: Database): Promise<void> {
  const [first] = await listPending(database)
  if (first === undefined) return
  throw new CatalogError(
    'catalog_unavailable',
    `The database has an older schema and was opened read-only: it lacks the step ${first}`,
    'Start `pack serve` or publish a pack: both migrate the schema. If one of them is migrating, wait for it.',
  )
}

async function listPending(database: Database): Promise<readonly string[]> {
  const { queries, dialect } = database
  const steps = Object.keys(listSteps(database))
  if (await dialect.hasTable(queries, 'catalog_migrations'))
    throw new CatalogError(
      'schema_too_old',
      'This is a database of Packs 0.3 or older, which this program does not read and has not changed',
      'Name a new database in DATABASE_URL and publish the sources into it; accounts, keys and version numbers do not move there.',
    )
  if (!(await dialect.hasTable(queries, TABLE))) return steps
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(TABLE)}`.execute(queries)
  const done = new Set(rows.map(({ name }) => name))
  const unknown = [...done].filter((name) => !steps.includes(name))
  if (unknown.length > 0)
    throw new CatalogError(
      'schema_too_new',
      `The database was written by a newer version of this program: the step ${unknown.toSorted().join(', ').slice(0, 80)} is unknown`,
      'Run the newest version of this program that has opened the database, or restore an older backup.',
    )
  return steps.filter((name) => !done.has(name))
}
