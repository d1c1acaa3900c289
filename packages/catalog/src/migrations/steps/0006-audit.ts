import { sql } from 'kysely'
import type { Dialect } from '../../database/dialect.ts'
import type { Queries } from '../../database/schema.ts'
import type { Migration } from './migration.ts'

/** The audit log, whose rows cannot be changed and only be deleted after a year, and leases. */
export const createAuditTables: Migration = {
  name: '0006-audit',
  olderMayContinue: true,
  async up(transaction, { dialect }) {
    const text = sql.raw(dialect.types.text)
    const number = sql.raw(
      dialect.type === 'sqlite'
        ? // Ids ascend, because the newest row cannot be deleted.
          'integer primary key'
        : 'bigint generated always as identity primary key',
    )
    await sql`create table audit_log (
      id ${number}, at ${text} not null, action ${text} not null, actor_kind ${text} not null, actor_id ${text},
      account_id ${text}, target ${text}, details ${text} not null
    )`.execute(transaction)
    await sql`create index audit_log_by_time on audit_log (at, id)`.execute(transaction)
    await sql`create index audit_log_by_account on audit_log (account_id, at, id) where account_id is not null`.execute(
      transaction,
    )
    await sql`create table leases (name ${text} primary key, holder ${text} not null, expires_at ${text} not null)`.execute(
      transaction,
    )
    await protectRows(transaction, dialect)
  },

  /** Expired rows are found by these. */
  indexes: [
    { name: 'keys_by_revocation', table: 'keys', columns: 'revoked_at', where: 'revoked_at is not null' },
    { name: 'keys_by_expiry', table: 'keys', columns: 'expires_at', where: 'expires_at is not null' },
    // In SQLite requests are counted in a file of their own, which is not migrated.
    { name: 'quota_days_by_day', table: 'quota_days', columns: 'day', only: 'postgres' },
  ],
}

/** Lets the database itself reject changed rows, and deleted rows of the last 365 days. */
async function protectRows(transaction: Queries, { type }: Dialect): Promise<void> {
  if (type === 'sqlite') {
    const yearAgo = sql`strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-365 days')`
    await sql`create trigger audit_log_no_update before update on audit_log
      begin select raise(abort, 'rows of audit_log cannot be changed'); end`.execute(transaction)
    await sql`create trigger audit_log_no_delete before delete on audit_log when old.at > ${yearAgo}
      begin select raise(abort, 'rows of audit_log are kept for a year'); end`.execute(transaction)
    return
  }
  await sql`create function audit_log_protect() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' and old.at <= to_char(
        (now() - interval '365 days') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') collate "C"
      then return old; end if;
      raise exception 'rows of audit_log cannot be changed, and are kept for a year';
    end $$`.execute(transaction)
  await sql`create trigger audit_log_protect before update or delete on audit_log
    for each row execute function audit_log_protect()`.execute(transaction)
  await sql`create trigger audit_log_no_truncate before truncate on audit_log
    for each statement execute function audit_log_protect()`.execute(transaction)
}
