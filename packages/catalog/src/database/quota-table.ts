import { sql } from 'kysely'
import type { Dialect } from './dialect.ts'
import type { Queries } from './schema.ts'

/** Creates the table of requests per account and day if it is missing. */
export async function createQuotaTable(queries: Queries, { types }: Dialect): Promise<void> {
  const integer = sql.raw(types.integer)
  const text = sql.raw(types.text)
  await sql`create table if not exists quota_days (
    account_id ${text} not null, day ${text} not null, used ${integer} not null, granted ${integer} not null,
    primary key (account_id, day)
  )`.execute(queries)
}

/** Creates the index by which old days are found, if it is missing. */
export async function createQuotaIndex(queries: Queries): Promise<void> {
  await sql`create index if not exists quota_days_by_day on quota_days (day)`.execute(queries)
}
