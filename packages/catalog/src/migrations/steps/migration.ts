import type { Database, IndexDefinition } from '../../database/dialect.ts'
import type { Queries } from '../../database/schema.ts'

/**
 * A step of the schema. A released step never changes; later changes are new steps.
 *
 * A step runs while older programs read and write. Most steps only have `up`: it creates tables,
 * their indexes and nullable columns, with `olderMayContinue: true`. Add the step to the list in
 * `migrate.ts`. Rules for others:
 *
 * - `up` takes short locks only. A new column is nullable or has a constant default, which rewrites
 *   no row.
 * - Values of existing rows come from `backfill`, indexes of tables with many rows from `indexes`.
 * - In Postgres, a constraint on such a table is added `not valid` in one step and validated in the
 *   next.
 * - If older programs write rows that lack the values of new columns, `serveOlder` creates triggers
 *   that add them.
 */
export interface Migration {
  readonly name: string
  /**
   * Whether programs that do not know this step may continue, and start, once it is done. If not,
   * they refuse to start with `schema_too_new`.
   */
  readonly olderMayContinue: boolean
  /**
   * Changes the schema in one short transaction. It runs once, and is repeated if it did not get
   * its locks in time.
   */
  up(transaction: Queries, database: Database): Promise<void>
  /** Runs in the same transaction, but not on a new database, which no older program has open. */
  serveOlder?(transaction: Queries, database: Database): Promise<void>
  /**
   * Fills rows that exist already: one bounded batch per call, each in its own transaction, under
   * the lock that orders all changes of packs. After a crash it continues after the last committed
   * batch. A new database needs no back-fill.
   */
  backfill?(transaction: Queries, batch: Batch, database: Database): Promise<BatchResult>
  /** Indexes that are created after the back-fill, in Postgres without blocking writers. */
  readonly indexes?: readonly IndexDefinition[]
}

/** A batch of a back-fill. */
export interface Batch {
  /** Where the batch before ended; `undefined` for the first. */
  readonly position: Position | undefined
  /** Most rows to read. */
  readonly rows: number
}

export interface BatchResult {
  /** Rows read by this batch. */
  readonly rows: number
  /** Where the next batch begins; `undefined` after the last. */
  readonly next: Position | undefined
}

/** A position in a back-fill; it is stored as JSON. */
export type Position = Readonly<Record<string, string | number>>
