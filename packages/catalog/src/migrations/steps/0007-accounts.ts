import { sql } from 'kysely'
import type { Dialect } from '../../database/dialect.ts'
import type { Queries } from '../../database/schema.ts'
import type { Migration } from './migration.ts'

/** Older programs create the tables of sign-in themselves, under this advisory lock. */
const TABLES_LOCK = 7_205_759_404

const columnTypes = {
  sqlite: { time: 'date', flag: 'integer' },
  postgres: { time: 'timestamptz', flag: 'boolean' },
} as const

/** Created last of the tables of sign-in and their indexes. */
const LAST_INDEX = 'sign_in_verifications_identifier_idx'

/**
 * Proof, disabling and resets of accounts, their one-time codes, and the tables of sign-in, which
 * older programs may have created.
 */
export const createAccountStates: Migration = {
  name: '0007-accounts',
  olderMayContinue: true,
  async up(transaction, { dialect }) {
    // First, because older programs lock in this order.
    if (!(await hasSignInTables(transaction, dialect))) await createSignInTables(transaction, dialect)
    const text = sql.raw(dialect.types.text)
    const integer = sql.raw(dialect.types.integer)
    for (const column of ['proven_at', 'disabled_at', 'reset_at', 'pending_tier'])
      await sql`alter table accounts add column ${sql.ref(column)} ${text}`.execute(transaction)
    await sql`alter table accounts add column pending_daily ${integer}`.execute(transaction)
    await sql`create table account_codes (
      hash ${text} primary key, account_id ${text} not null references accounts (id), kind ${text} not null,
      expires_at ${text} not null
    )`.execute(transaction)
    await sql`create index account_codes_by_account on account_codes (account_id)`.execute(transaction)
    await sql`create index account_codes_by_time on account_codes (expires_at)`.execute(transaction)
  },
  indexes: [
    { name: 'sign_in_sessions_by_expiry', table: 'sign_in_sessions', columns: '"expiresAt"' },
    { name: 'sign_in_verifications_by_expiry', table: 'sign_in_verifications', columns: '"expiresAt"' },
  ],
}

/**
 * Returns whether an older program has created everything: even `create index if not exists` would
 * wait for writers.
 */
async function hasSignInTables(transaction: Queries, { type }: Dialect): Promise<boolean> {
  const found =
    type === 'sqlite'
      ? sql`select 1 from sqlite_master where name = ${LAST_INDEX}`
      : sql`select 1 where to_regclass(${LAST_INDEX}) is not null`
  return (await found.execute(transaction)).rows.length > 0
}

async function createSignInTables(transaction: Queries, { type }: Dialect): Promise<void> {
  const time = sql.raw(columnTypes[type].time)
  const flag = sql.raw(columnTypes[type].flag)
  const run = (statement: ReturnType<typeof sql>): Promise<unknown> => statement.execute(transaction)
  if (type === 'postgres') await run(sql`select pg_advisory_xact_lock(${sql.lit(TABLES_LOCK)})`)
  await run(sql`create table if not exists sign_in_users (
      id text not null primary key, name text not null, email text not null unique, "emailVerified" ${flag} not null,
      image text, "createdAt" ${time} not null, "updatedAt" ${time} not null,
      "accountId" text unique references accounts (id)
    )`)
  await run(sql`create table if not exists sign_in_sessions (
      id text not null primary key, "expiresAt" ${time} not null, token text not null unique,
      "createdAt" ${time} not null, "updatedAt" ${time} not null, "ipAddress" text, "userAgent" text,
      "userId" text not null references sign_in_users (id) on delete cascade
    )`)
  await run(sql`create table if not exists sign_in_credentials (
      id text not null primary key, "accountId" text not null, "providerId" text not null,
      "userId" text not null references sign_in_users (id) on delete cascade,
      "accessToken" text, "refreshToken" text, "idToken" text, "accessTokenExpiresAt" ${time},
      "refreshTokenExpiresAt" ${time}, scope text, password text,
      "createdAt" ${time} not null, "updatedAt" ${time} not null
    )`)
  await run(sql`create table if not exists sign_in_verifications (
      id text not null primary key, identifier text not null, value text not null, "expiresAt" ${time} not null,
      "createdAt" ${time} not null, "updatedAt" ${time} not null
    )`)
  await run(sql`create table if not exists sign_in_limits (
      name text not null primary key, count integer not null, ends bigint not null
    )`)
  await run(sql`create index if not exists sign_in_limits_ends_idx on sign_in_limits (ends)`)
  await run(sql`create index if not exists "sign_in_sessions_userId_idx" on sign_in_sessions ("userId")`)
  await run(
    sql`create index if not exists "sign_in_credentials_userId_idx" on sign_in_credentials ("userId")`,
  )
  await run(sql`create index if not exists ${sql.ref(LAST_INDEX)} on sign_in_verifications (identifier)`)
}
