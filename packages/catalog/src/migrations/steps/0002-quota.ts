import { sql } from 'kysely'
import { createQuotaTable } from '../../database/quota-table.ts'
import type { Migration } from './migration.ts'

/**
 * Requests per account and day (unless they have their own file), rotated keys, and attempts to
 * claim.
 */
export const createQuotaTables: Migration = {
  name: '0002-quota',
  olderMayContinue: false,
  async up(transaction, { dialect, queries, counts }) {
    const integer = sql.raw(dialect.types.integer)
    const text = sql.raw(dialect.types.text)
    if (dialect.type === 'postgres' || counts === queries) await createQuotaTable(transaction, dialect)
    await sql`alter table keys add column rotated_at ${text}`.execute(transaction)
    await sql`alter table accounts add column claim_hour ${text}`.execute(transaction)
    await sql`alter table accounts add column claim_attempts ${integer} not null default 0`.execute(
      transaction,
    )
  },
}
