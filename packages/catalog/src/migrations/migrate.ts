import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { CatalogError } from '../catalog-error.ts'
import { formatIndex, type Database } from '../database/dialect.ts'
import { createCatalogTables } from './steps/0001-catalog.ts'
import { createQuotaTables } from './steps/0002-quota.ts'
import { createListOrders } from './steps/0003-list-orders.ts'
import { createJobOwners } from './steps/0004-job-owners.ts'
import { createSourceTimes } from './steps/0005-source-times.ts'
import { createAuditTables } from './steps/0006-audit.ts'
import { createAccountStates } from './steps/0007-accounts.ts'
import { createSearch } from './steps/0008-search.ts'
import { createSignatures } from './steps/0009-signatures.ts'
import { createSectionTexts } from './steps/0010-section-texts.ts'
import { createFigures } from './steps/0012-figures.ts'
import type { Migration } from './steps/migration.ts'
import { listPending, prepareStepTable, readProgress, recordStep } from './migration-state.ts'
import { listIndexes, runStep, runTransaction, type MigrationLog, type MigrationPace } from './run-step.ts'

/** All steps of the schema, in order. */
export const migrations: readonly Migration[] = [
  createCatalogTables,
  createQuotaTables,
  createListOrders,
  createJobOwners,
  createSourceTimes,
  createAuditTables,
  createAccountStates,
  createSearch,
  createSignatures,
  createSectionTexts,
  createFigures,
]

/** How a process migrates. Tests pass other values. */
export interface MigrateOptions {
  readonly steps?: readonly Migration[]
  readonly pace?: MigrationPace
  readonly log?: MigrationLog
}

const defaultPace: MigrationPace = {
  lockMs: 250,
  patienceMs: 5 * 60_000,
  stallMs: 30 * 60_000,
  random: Math.random,
}

/** Pause between two looks at another process that migrates, in milliseconds. */
const POLL_MS = 250

/**
 * Runs all pending migrations. If several processes start, one migrates and the others wait; in
 * SQLite they take turns. Programs of the version before read and write meanwhile. If the process
 * is killed, the next one continues.
 *
 * @throws CatalogError `schema_too_new` if the database has an unknown migration that does not let
 *   older programs continue; `catalog_unavailable` if a lock or another migrating process did not
 *   come free
 */
export async function migrate(
  database: Database,
  { steps = migrations, pace = defaultPace, log = () => undefined }: MigrateOptions = {},
): Promise<void> {
  if ((await listPending(database, steps)).length === 0) return
  await database.migrateWith(async (queries) => {
    const migrator = { ...database, queries }
    if (!(await waitForTurn(migrator, steps, pace, log))) return
    if (await createSchema(migrator, steps, pace)) return
    await runTransaction(migrator, pace, (transaction) => prepareStepTable(transaction, migrator))
    for (const step of await listPending(migrator, steps)) await runStep(migrator, step, pace, log)
  })
}

/**
 * Checks that no migration is pending.
 *
 * @throws CatalogError `schema_too_new`, or `catalog_unavailable` if a migration is missing
 */
export async function requireMigrated(database: Database): Promise<void> {
  const [first] = await listPending(database, migrations)
  if (first === undefined) return
  throw new CatalogError(
    'catalog_unavailable',
    `The database has an older schema and was opened read-only: it lacks the step ${first.name}`,
    'Start `pack serve` or publish a pack: both migrate the schema. If one of them is migrating, wait for it.',
  )
}

/**
 * Waits until this process may migrate, or no step is pending; returns whether any is. It never
 * waits inside of a statement: creating an index concurrently would wait for that statement.
 */
async function waitForTurn(
  database: Database,
  steps: readonly Migration[],
  { stallMs, random }: MigrationPace,
  log: MigrationLog,
): Promise<boolean> {
  let seen = ''
  let end = 0
  while (!(await database.dialect.tryLockMigrations(database.queries))) {
    const pending = await listPending(database, steps)
    if (pending.length === 0) return false
    const state = await describeState(database, pending)
    if (state !== seen) {
      seen = state
      end = performance.now() + stallMs
      log({ action: 'waiting', step: pending[0]?.name ?? '' })
    }
    if (performance.now() > end) throw stuckError(stallMs)
    await wait(POLL_MS * (0.5 + random()))
  }
  return true
}

/** Changes whenever the process that migrates makes progress. */
async function describeState(database: Database, pending: readonly Migration[]): Promise<string> {
  const [step] = pending
  const isNew = !(await database.dialect.hasColumn(database.queries, 'settings', 'name'))
  const progress = step && !isNew ? await readProgress(database.queries, step) : undefined
  return JSON.stringify([pending.length, progress])
}

function stuckError(ms: number): CatalogError {
  return new CatalogError(
    'catalog_unavailable',
    `Another process migrates the database, and has made no progress for ${Math.round(ms / 1000)} s`,
    'Look for it in pg_stat_activity as "packs migration" and end it, then start again: the migration continues where it stopped.',
  )
}

/** Creates everything in one transaction in a database that is new; returns whether it was. */
async function createSchema(
  database: Database,
  steps: readonly Migration[],
  pace: MigrationPace,
): Promise<boolean> {
  return runTransaction(database, pace, async (transaction) => {
    if (await database.dialect.hasColumn(transaction, 'catalog_migrations', 'name')) return false
    await prepareStepTable(transaction, database)
    for (const step of steps) {
      await step.up(transaction, database)
      for (const index of listIndexes(step, database.dialect))
        await sql`create index ${formatIndex(index)}`.execute(transaction)
      await recordStep(transaction, step, database.now())
    }
    return true
  })
}
