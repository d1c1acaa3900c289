import { sql } from 'kysely'
import { CatalogError } from '../catalog-error.ts'
import type { Database } from '../database/dialect.ts'
import type { Queries } from '../database/schema.ts'
import type { Migration, Position } from './steps/migration.ts'

const TABLE = 'catalog_migrations'
const COLUMN = 'older_may_continue'

/** How far a step has come whose schema is changed, but whose rows or indexes are not complete. */
export interface StepProgress {
  /** Where the next batch of the back-fill begins; absent for the first. */
  readonly position?: Position
  /** Rows of the batches so far. */
  readonly rows: number
  readonly isFilled: boolean
}

/**
 * Lists the steps that are not done.
 *
 * @throws CatalogError `schema_too_new` if an unknown step is done that does not let older programs
 *   continue
 */
export async function listPending(
  { queries, dialect }: Pick<Database, 'queries' | 'dialect'>,
  steps: readonly Migration[],
): Promise<readonly Migration[]> {
  if (!(await dialect.hasColumn(queries, TABLE, 'name'))) return steps
  const { rows } = await sql<{ name: string }>`select name from catalog_migrations`.execute(queries)
  const done = new Set(rows.map(({ name }) => name))
  const unknown = [...done].filter((name) => !steps.some((step) => step.name === name))
  if (unknown.length > 0) {
    const allowed = await listAllowed({ queries, dialect })
    const refused = unknown.filter((name) => !allowed.has(name))
    if (refused.length > 0) throw tooNewError(refused)
  }
  return steps.filter(({ name }) => !done.has(name))
}

/** Names of the steps that let older programs continue. Older databases do not say which do. */
async function listAllowed({
  queries,
  dialect,
}: Pick<Database, 'queries' | 'dialect'>): Promise<ReadonlySet<string>> {
  if (!(await dialect.hasColumn(queries, TABLE, COLUMN))) return new Set()
  const { rows } = await sql<{
    name: string
  }>`select name from catalog_migrations where older_may_continue = 1`.execute(queries)
  return new Set(rows.map(({ name }) => name))
}

function tooNewError(unknown: readonly string[]): CatalogError {
  return new CatalogError(
    'schema_too_new',
    `The database was written by a newer version of this program: the step ${unknown.toSorted().join(', ').slice(0, 80)} is unknown`,
    'Run the newest version of this program that has opened the database, or restore an older backup.',
  )
}

/** Creates the list of steps, or adds the column that databases of older programs lack. */
export async function prepareStepTable(
  transaction: Queries,
  { dialect }: Pick<Database, 'dialect'>,
): Promise<void> {
  const text = sql.raw(dialect.types.text)
  const column = sql`${sql.ref(COLUMN)} integer not null default 0`
  if (!(await dialect.hasColumn(transaction, TABLE, 'name'))) {
    await sql`create table catalog_migrations (name ${text} primary key, applied_at ${text} not null, ${column})`.execute(
      transaction,
    )
  } else if (!(await dialect.hasColumn(transaction, TABLE, COLUMN))) {
    await sql`alter table catalog_migrations add column ${column}`.execute(transaction)
  }
}

/** Whether a step is done. */
export async function isDone(transaction: Queries, { name }: Migration): Promise<boolean> {
  const { rows } = await sql`select 1 from catalog_migrations where name = ${name}`.execute(transaction)
  return rows.length > 0
}

/** Records a step as done. */
export async function recordStep(
  transaction: Queries,
  { name, olderMayContinue }: Migration,
  time: Date,
): Promise<void> {
  await sql`insert into catalog_migrations (name, applied_at, older_may_continue)
    values (${name}, ${time.toISOString()}, ${olderMayContinue ? 1 : 0})`.execute(transaction)
  await transaction.deleteFrom('settings').where('name', '=', progressName(name)).execute()
}

/** Reads the progress of a step; `undefined` before its schema is changed, and once it is done. */
export async function readProgress(queries: Queries, { name }: Migration): Promise<StepProgress | undefined> {
  const row = await queries
    .selectFrom('settings')
    .select('value')
    .where('name', '=', progressName(name))
    .executeTakeFirst()
  return row && (JSON.parse(row.value) as StepProgress)
}

/**
 * Stores the progress of a step in the transaction that makes it. Older programs ignore this
 * setting.
 */
export async function writeProgress(
  transaction: Queries,
  { name }: Migration,
  progress: StepProgress,
): Promise<void> {
  const value = JSON.stringify(progress)
  await transaction
    .insertInto('settings')
    .values({ name: progressName(name), value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

function progressName(step: string): string {
  return `migration:${step}`
}
