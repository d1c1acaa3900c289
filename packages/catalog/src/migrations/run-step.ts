import { setTimeout as wait } from 'node:timers/promises'
import { CatalogError } from '../catalog-error.ts'
import type { Database, Dialect, IndexDefinition } from '../database/dialect.ts'
import type { Queries } from '../database/schema.ts'
import type { Migration } from './steps/migration.ts'
import { isDone, readProgress, recordStep, writeProgress, type StepProgress } from './migration-state.ts'

/** How a migration shares the database with other programs. */
export interface MigrationPace {
  /**
   * Longest wait for the lock of a table, in milliseconds: readers that come later wait behind it.
   */
  readonly lockMs: number
  /** How long a lock is asked for again and again, in milliseconds. */
  readonly patienceMs: number
  /** How long another process that migrates may make no progress, in milliseconds. */
  readonly stallMs: number
  /** Returns a number from 0 to 1, which varies the pauses between attempts. */
  readonly random: () => number
}

/** What a migration is doing. */
export interface MigrationProgress {
  /**
   * `started`, `filled` (so many rows of a back-fill), `indexing`, `done`; `waiting` for another
   * process that migrates; `locked`: another program holds a lock, and the step tries again.
   */
  readonly action: 'started' | 'filled' | 'indexing' | 'done' | 'waiting' | 'locked'
  readonly step: string
  /** Rows of the back-fill so far. */
  readonly rows?: number
  readonly index?: string
}

export type MigrationLog = (progress: MigrationProgress) => void

const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 4000
/** A process waiting for SQLite's lock looks every 25 ms; in this pause one of them gets it. */
const YIELD_MS = 40
/** Rows of the first batch, and bounds for the later ones. */
const ROWS = { first: 100, min: 10, max: 500 }
/**
 * A batch that takes longer halves the next one; one that takes less than half of it doubles it.
 */
const BATCH_MS = 50
/** Rows between two reports of a back-fill. */
const REPORT_ROWS = 10_000

/** Longest wait for the turn among those who change packs. Readers do not wait for it. */
const TURN_MS = 10_000

/**
 * Runs one step on a database in use. Other processes that run it take turns, after each
 * transaction.
 */
export async function runStep(
  database: Database,
  step: Migration,
  pace: MigrationPace,
  log: MigrationLog,
): Promise<void> {
  const reportLock = (): void => log({ action: 'locked', step: step.name })
  const run = <T>(work: (transaction: Queries) => Promise<T>): Promise<T> =>
    runTransaction(database, pace, work, reportLock)

  log({ action: 'started', step: step.name })
  let progress = await run((transaction) => changeSchema(transaction, step, database))
  for (let rows = ROWS.first; progress !== undefined && !progress.isFilled;) {
    const before: StepProgress = progress
    let start = 0
    progress = await run((transaction) => {
      start = performance.now()
      return fillBatch(transaction, step, rows, database)
    })
    const elapsed = performance.now() - start
    if (elapsed > BATCH_MS) rows = Math.max(ROWS.min, Math.floor(rows / 2))
    else if (elapsed < BATCH_MS / 2) rows = Math.min(ROWS.max, rows * 2)
    reportRows(before, progress, step, log)
    if (database.dialect.type === 'sqlite') await wait(YIELD_MS)
  }
  if (progress !== undefined) {
    for (const index of listIndexes(step, database.dialect))
      await createIndex(database, step, index, pace, log)
    await run(async (transaction) => {
      if (!(await isDone(transaction, step))) await recordStep(transaction, step, database.now())
    })
  }
  log({ action: 'done', step: step.name })
}

/** Changes the schema, once. Returns the progress of the step; `undefined` if it is done. */
async function changeSchema(
  transaction: Queries,
  step: Migration,
  database: Database,
): Promise<StepProgress | undefined> {
  if (await isDone(transaction, step)) return undefined
  const known = await readProgress(transaction, step)
  if (known !== undefined) return known
  await step.up(transaction, database)
  await step.serveOlder?.(transaction, database)
  const progress = { rows: 0, isFilled: step.backfill === undefined }
  if (progress.isFilled && step.indexes === undefined) {
    await recordStep(transaction, step, database.now())
    return undefined
  }
  await writeProgress(transaction, step, progress)
  return progress
}

async function fillBatch(
  transaction: Queries,
  step: Migration,
  rows: number,
  database: Database,
): Promise<StepProgress | undefined> {
  const before = await readProgress(transaction, step)
  // Another process may have done this step since.
  if (before === undefined || before.isFilled || step.backfill === undefined) return before
  const batch = await step.backfill(transaction, { position: before.position, rows }, database)
  const after: StepProgress = {
    rows: before.rows + batch.rows,
    isFilled: batch.next === undefined,
    ...(batch.next && { position: batch.next }),
  }
  await writeProgress(transaction, step, after)
  return after
}

function reportRows(
  before: StepProgress,
  after: StepProgress | undefined,
  { name: step }: Migration,
  log: MigrationLog,
): void {
  const rows = after?.rows ?? before.rows
  const isDue = Math.floor(rows / REPORT_ROWS) > Math.floor(before.rows / REPORT_ROWS)
  if (isDue || after?.isFilled === true) log({ action: 'filled', step, rows })
}

/** Returns the indexes that a step creates in this database. */
export function listIndexes({ indexes = [] }: Migration, { type }: Dialect): readonly IndexDefinition[] {
  return indexes.filter(({ only = type }) => only === type)
}

async function createIndex(
  database: Database,
  { name: step }: Migration,
  index: IndexDefinition,
  pace: MigrationPace,
  log: MigrationLog,
): Promise<void> {
  log({ action: 'indexing', step, index: index.name })
  const { queries, dialect } = database
  await retry(
    database,
    pace,
    // Nobody waits behind this statement while it waits for the transactions of others, so it may wait long.
    () => dialect.createIndexOnline(queries, index, pace.patienceMs),
    () => log({ action: 'locked', step }),
  )
}

/**
 * Runs a short transaction under the lock that orders all changes of packs, so that it meets no
 * half-done change. It gives up its place in the queue for a lock of a table after `lockMs`, and
 * tries again after a pause.
 *
 * @throws CatalogError `catalog_unavailable` if it got no lock in all that time
 */
export async function runTransaction<T>(
  database: Database,
  pace: MigrationPace,
  work: (transaction: Queries) => Promise<T>,
  onLocked?: () => void,
): Promise<T> {
  const { queries, dialect } = database
  const attempt = (): Promise<T> =>
    queries.transaction().execute(async (transaction) => {
      await dialect.limitLockWait(transaction, TURN_MS)
      if (await dialect.hasColumn(transaction, 'catalog_state', 'sequence')) {
        await transaction
          .updateTable('catalog_state')
          .set((builder) => ({ sequence: builder.ref('sequence') }))
          .execute()
      }
      await dialect.limitLockWait(transaction, pace.lockMs)
      return work(transaction)
    })
  return retry(database, pace, attempt, onLocked)
}

async function retry<T>(
  { dialect }: Database,
  { patienceMs, random }: MigrationPace,
  attempt: () => Promise<T>,
  onLocked: () => void = () => undefined,
): Promise<T> {
  const end = performance.now() + patienceMs
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
    try {
      return await attempt()
    } catch (error) {
      if (!dialect.isLockFailure(error)) throw error
      if (performance.now() > end) throw lockedError(patienceMs, error)
      onLocked()
    }
    await wait(pause * (0.5 + random()))
  }
}

function lockedError(patienceMs: number, cause: unknown): CatalogError {
  return new CatalogError(
    'catalog_unavailable',
    `The migration of the database got no lock for ${Math.round(patienceMs / 1000)} s, because another program holds it`,
    'End long transactions, such as a backup or an open console, then start again: the migration continues where it stopped.',
    { cause },
  )
}
