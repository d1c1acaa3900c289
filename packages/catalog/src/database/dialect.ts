import { sql } from 'kysely'
import type { Queries } from './schema.ts'

/** Reads have a connection of their own, so that they do not wait for writers. */
export interface Connections {
  readonly queries: Queries
  readonly reads: Queries
  /** For counting requests: waits neither for commits nor for the disk. */
  readonly counts: Queries
  /** For asking whether the database answers: fails after two seconds. */
  readonly probes: Queries
  /** @throws CatalogError `catalog_unavailable` if another SQLite file is at the path by now */
  requireFile(): void
  close(): Promise<void>
}

/** A function of a database or its queries as a method of a store: without that parameter. */
export type Method<Call> = Call extends (database: never, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never

/** An open database, and the clock for the times in its rows. */
export interface Database extends Connections {
  readonly dialect: Dialect
  readonly now: () => Date
}

/** Everything that differs between SQLite and Postgres. */
export interface Dialect {
  readonly type: 'sqlite' | 'postgres'
  /** Column types: whole numbers up to 2^53, text ordered by code point, bytes. */
  readonly types: { readonly integer: string; readonly text: string; readonly bytes: string }
  hasTable(queries: Queries, table: string): Promise<boolean>
  /** Explains in a few words why the database cannot answer; `undefined` for any other error. */
  explainFailure(error: Error & { readonly code?: unknown }): string | undefined
}

/** Creates the table of requests per account and day, and its index by day, if they are missing. */
export async function createQuotaTable(queries: Queries, { types }: Dialect): Promise<void> {
  const integer = sql.raw(types.integer)
  const text = sql.raw(types.text)
  await sql`create table if not exists quota_days (
    account_id ${text} not null, day ${text} not null, used ${integer} not null, granted ${integer} not null,
    primary key (account_id, day)
  )`.execute(queries)
  await sql`create index if not exists quota_days_by_day on quota_days (day)`.execute(queries)
}
