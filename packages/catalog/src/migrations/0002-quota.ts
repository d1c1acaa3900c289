import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/** Requests by account and day, keys that are being replaced, and attempts at claims. */
export const createQuotaTables: Migration = {
  name: '0002-quota',
  async up(transaction, { dialect }) {
    const integer = sql.raw(dialect.types.integer)
    const text = sql.raw(dialect.types.text)
    await sql`create table quota_days (
      account_id ${text} not null, day ${text} not null, used ${integer} not null, granted ${integer} not null,
      primary key (account_id, day)
    )`.execute(transaction)
    await sql`alter table keys add column rotated_at ${text}`.execute(transaction)
    await sql`alter table accounts add column claim_hour ${text}`.execute(transaction)
    await sql`alter table accounts add column claim_attempts ${integer} not null default 0`.execute(
      transaction,
    )
  },
}
