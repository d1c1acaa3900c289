import { createRateLimitTable, type LentDatabase } from '@packs/catalog'
import { sql } from 'kysely'

/** Key of the advisory lock; no other lock of this database uses it. */
const TABLES_LOCK = 7_205_759_404

const columnTypes = {
  sqlite: { time: 'date', flag: 'integer' },
  postgres: { time: 'timestamptz', flag: 'boolean' },
} as const

/** Created last, in the transaction that creates everything. */
const LAST_INDEX = 'sign_in_verifications_identifier_idx'

/**
 * Creates the missing tables of sign-in in one transaction. A lock lets only one process do so at a time. If nothing is
 * missing it takes no lock: even `create index if not exists` would wait for writers, and others behind it.
 */
export async function createAuthTables({ db, type }: LentDatabase): Promise<void> {
  const found =
    type === 'sqlite'
      ? sql`select 1 from sqlite_master where name = ${LAST_INDEX}`
      : sql`select 1 where to_regclass(${LAST_INDEX}) is not null`
  const { rows } = await found.execute(db)
  if (rows.length > 0) return
  const time = sql.raw(columnTypes[type].time)
  const flag = sql.raw(columnTypes[type].flag)
  await db.transaction().execute(async (transaction) => {
    if (type === 'postgres')
      await sql`select pg_advisory_xact_lock(${sql.lit(TABLES_LOCK)})`.execute(transaction)
    await sql`create table if not exists sign_in_users (
      id text not null primary key, name text not null, email text not null unique, "emailVerified" ${flag} not null,
      image text, "createdAt" ${time} not null, "updatedAt" ${time} not null,
      "accountId" text unique references accounts (id)
    )`.execute(transaction)
    await sql`create table if not exists sign_in_sessions (
      id text not null primary key, "expiresAt" ${time} not null, token text not null unique,
      "createdAt" ${time} not null, "updatedAt" ${time} not null, "ipAddress" text, "userAgent" text,
      "userId" text not null references sign_in_users (id) on delete cascade
    )`.execute(transaction)
    await sql`create table if not exists sign_in_credentials (
      id text not null primary key, "accountId" text not null, "providerId" text not null,
      "userId" text not null references sign_in_users (id) on delete cascade,
      "accessToken" text, "refreshToken" text, "idToken" text, "accessTokenExpiresAt" ${time},
      "refreshTokenExpiresAt" ${time}, scope text, password text,
      "createdAt" ${time} not null, "updatedAt" ${time} not null
    )`.execute(transaction)
    await sql`create table if not exists sign_in_verifications (
      id text not null primary key, identifier text not null, value text not null, "expiresAt" ${time} not null,
      "createdAt" ${time} not null, "updatedAt" ${time} not null
    )`.execute(transaction)
    await createRateLimitTable(transaction)
    await sql`create index if not exists "sign_in_sessions_userId_idx" on sign_in_sessions ("userId")`.execute(
      transaction,
    )
    await sql`create index if not exists sign_in_sessions_by_expiry on sign_in_sessions ("expiresAt")`.execute(
      transaction,
    )
    await sql`create index if not exists sign_in_verifications_by_expiry on sign_in_verifications ("expiresAt")`.execute(
      transaction,
    )
    await sql`create index if not exists "sign_in_credentials_userId_idx" on sign_in_credentials ("userId")`.execute(
      transaction,
    )
    await sql`create index if not exists ${sql.ref(LAST_INDEX)} on sign_in_verifications (identifier)`.execute(
      transaction,
    )
  })
}
