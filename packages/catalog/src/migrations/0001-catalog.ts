import { sql, type RawBuilder } from 'kysely'
import { createQuotaTable, type Database, type Dialect, type Queries } from '../database/database.ts'
import { createIndexTables } from '../search-index/create-index-tables.ts'

/** Creates all tables. Until the first release changes edit this step, later they add one. */
export async function createCatalog(
  transaction: Queries,
  { dialect, queries, counts, now }: Database,
): Promise<void> {
  const time = now().toISOString()
  const mode = JSON.stringify({ mode: 'online', since: time, message: null, retry_after: null })
  const run = async (...statements: readonly RawBuilder<unknown>[]): Promise<void> => {
    for (const statement of statements) await statement.execute(transaction)
  }
  await run(...packTables(dialect))
  await createIndexTables(transaction, dialect)
  await run(
    ...accountTables(dialect),
    ...signInTables(dialect),
    ...settingTables(dialect),
    ...auditTables(dialect),
    sql`insert into catalog_state (id, sequence, updated_at) values (1, 0, ${time})`,
    sql`insert into settings (name, value) values ('mode', ${mode})`,
  )
  // In a file of SQLite requests are counted in a file of their own.
  if (dialect.type === 'sqlite' && counts !== queries) return
  await createQuotaTable(transaction, dialect)
}

/** Packs, versions and their sources. Lists filter and sort packs by an index for each order. */
function packTables({ types }: Dialect): readonly RawBuilder<unknown>[] {
  const [integer, text, bytes] = [sql.raw(types.integer), sql.raw(types.text), sql.raw(types.bytes)]
  return [
    sql`create table packs (
      number ${integer} primary key, id ${text} not null unique, slug ${text} not null unique,
      sequence ${integer} not null unique, updated_at ${text} not null,
      head ${integer} not null, latest ${integer},
      title_key ${text} not null, domain ${text} not null, domain_slug ${text} not null,
      difficulty ${text} not null, tokens ${integer} not null, net_savings ${integer} not null
    )`,
    // The document is last: SQLite would read all of it before a column after it.
    sql`create table versions (
      sequence ${integer} primary key, pack ${integer} not null references packs (number),
      major ${integer} not null, minor ${integer} not null, patch ${integer} not null,
      published_at ${text} not null, source_digest ${text} not null, parent ${text}, provenance ${text} not null,
      source ${text}, purge ${integer}, purged_at ${text}, purged_by ${text},
      summary ${text} not null, domain_slug ${text} not null, difficulty ${text} not null,
      yanked_reason ${text}, signatures ${text},
      lead ${text} not null, document ${bytes} not null,
      unique (pack, major, minor, patch)
    )`,
    sql`create index versions_by_source on versions (source)`,
    sql`create unique index versions_by_purge on versions (purge) where purge is not null`,
    sql`create index packs_by_title on packs (title_key, id) where latest is not null`,
    sql`create index packs_by_domain on packs (domain_slug, title_key, id) where latest is not null`,
    sql`create index packs_by_difficulty on packs (difficulty, title_key, id) where latest is not null`,
    sql`create index packs_by_change on packs (sequence desc, id) where latest is not null`,
    sql`create index packs_by_tokens on packs (tokens, title_key, id) where latest is not null`,
    sql`create index packs_by_net_savings on packs (net_savings desc, title_key, id) where latest is not null`,
    sql`create table sources (sha256 ${text} primary key, bytes ${bytes} not null, asked_at ${text})`,
    sql`create index sources_by_time on sources (asked_at) where asked_at is not null`,
  ]
}

/** Accounts, their keys and one-time codes, and tokens. Expired rows are found by an index. */
function accountTables({ types }: Dialect): readonly RawBuilder<unknown>[] {
  const [integer, text] = [sql.raw(types.integer), sql.raw(types.text)]
  return [
    sql`create table accounts (
      id ${text} primary key, email ${text} not null unique, tier ${text} not null, daily ${integer},
      claim_hash ${text}, claim_expires_at ${text}, created_at ${text} not null,
      proven_at ${text}, disabled_at ${text}, reset_at ${text}, pending_tier ${text}, pending_daily ${integer}
    )`,
    sql`create table keys (
      id ${text} primary key, account_id ${text} not null references accounts (id), name ${text} not null,
      sha256 ${text} not null unique, last4 ${text} not null, created_at ${text} not null,
      expires_at ${text}, last_used_at ${text}, revoked_at ${text}, rotated_at ${text}
    )`,
    sql`create index keys_by_account on keys (account_id, created_at)`,
    sql`create index keys_by_revocation on keys (revoked_at) where revoked_at is not null`,
    sql`create index keys_by_expiry on keys (expires_at) where expires_at is not null`,
    sql`create table publish_tokens (
      id ${text} primary key, name ${text} not null, slug ${text} not null, sha256 ${text} not null unique,
      last4 ${text} not null, created_at ${text} not null,
      expires_at ${text}, last_used_at ${text}, revoked_at ${text}
    )`,
    sql`create table account_codes (
      hash ${text} primary key, account_id ${text} not null references accounts (id), kind ${text} not null,
      expires_at ${text} not null
    )`,
    sql`create index account_codes_by_account on account_codes (account_id)`,
    sql`create index account_codes_by_time on account_codes (expires_at)`,
  ]
}

/** The tables of better-auth, which reads and writes them. */
function signInTables({ type }: Dialect): readonly RawBuilder<unknown>[] {
  const [time, flag] = type === 'sqlite' ? [sql`date`, sql`integer`] : [sql`timestamptz`, sql`boolean`]
  return [
    sql`create table sign_in_users (
      id text not null primary key, name text not null, email text not null unique, "emailVerified" ${flag} not null,
      image text, "createdAt" ${time} not null, "updatedAt" ${time} not null,
      "accountId" text unique references accounts (id)
    )`,
    sql`create table sign_in_sessions (
      id text not null primary key, "expiresAt" ${time} not null, token text not null unique,
      "createdAt" ${time} not null, "updatedAt" ${time} not null, "ipAddress" text, "userAgent" text,
      "userId" text not null references sign_in_users (id) on delete cascade
    )`,
    sql`create table sign_in_credentials (
      id text not null primary key, "accountId" text not null, "providerId" text not null,
      "userId" text not null references sign_in_users (id) on delete cascade,
      "accessToken" text, "refreshToken" text, "idToken" text, "accessTokenExpiresAt" ${time},
      "refreshTokenExpiresAt" ${time}, scope text, password text,
      "createdAt" ${time} not null, "updatedAt" ${time} not null
    )`,
    sql`create table sign_in_verifications (
      id text not null primary key, identifier text not null, value text not null, "expiresAt" ${time} not null,
      "createdAt" ${time} not null, "updatedAt" ${time} not null
    )`,
    sql`create table sign_in_limits (
      name text not null primary key, count integer not null, ends bigint not null
    )`,
    sql`create index sign_in_limits_ends_idx on sign_in_limits (ends)`,
    sql`create index "sign_in_sessions_userId_idx" on sign_in_sessions ("userId")`,
    sql`create index sign_in_sessions_by_expiry on sign_in_sessions ("expiresAt")`,
    sql`create index "sign_in_credentials_userId_idx" on sign_in_credentials ("userId")`,
    sql`create index sign_in_verifications_identifier_idx on sign_in_verifications (identifier)`,
    sql`create index sign_in_verifications_by_expiry on sign_in_verifications ("expiresAt")`,
  ]
}

function settingTables({ types }: Dialect): readonly RawBuilder<unknown>[] {
  const [integer, text] = [sql.raw(types.integer), sql.raw(types.text)]
  return [
    sql`create table catalog_state (
      id ${integer} primary key check (id = 1), sequence ${integer} not null, updated_at ${text} not null
    )`,
    sql`create table settings (name ${text} primary key, value ${text} not null)`,
    sql`create table jobs (
      id ${text} primary key, slug ${text} not null, state ${text} not null, progress ${integer} not null,
      attempts ${integer} not null, error ${text}, updated_at ${text} not null, owner ${text},
      sequence ${integer} not null, release ${text} references jobs (id) on delete cascade, data ${text}, result ${text}
    )`,
    sql`create index jobs_by_time on jobs (updated_at, id)`,
    sql`create index jobs_by_sequence on jobs (sequence)`,
    sql`create index jobs_by_slug on jobs (slug, sequence) where data is not null`,
    sql`create index jobs_by_release on jobs (release) where release is not null`,
    sql`create table leases (name ${text} primary key, holder ${text} not null, expires_at ${text} not null)`,
  ]
}

/** The database itself keeps rows from being changed, and those of 365 days from deletion. */
function auditTables({ type, types }: Dialect): readonly RawBuilder<unknown>[] {
  const text = sql.raw(types.text)
  // In SQLite ids ascend, because the newest row cannot be deleted.
  const id = sql.raw(
    type === 'sqlite' ? 'integer primary key' : 'bigint generated always as identity primary key',
  )
  return [
    sql`create table audit_log (
      id ${id}, at ${text} not null, action ${text} not null, actor_kind ${text} not null, actor_id ${text},
      account_id ${text}, target ${text}, details ${text} not null
    )`,
    sql`create index audit_log_by_time on audit_log (at, id)`,
    sql`create index audit_log_by_account on audit_log (account_id, at, id) where account_id is not null`,
    ...(type === 'sqlite' ? sqliteProtection : postgresProtection),
  ]
}

const sqliteProtection = [
  sql`create trigger audit_log_no_update before update on audit_log
    begin select raise(abort, 'rows of audit_log cannot be changed'); end`,
  sql`create trigger audit_log_no_delete before delete on audit_log
    when old.at > strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-365 days')
    begin select raise(abort, 'rows of audit_log are kept for a year'); end`,
]

const postgresProtection = [
  sql`create function audit_log_protect() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' and old.at <= to_char(
        (now() - interval '365 days') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') collate "C"
      then return old; end if;
      raise exception 'rows of audit_log cannot be changed, and are kept for a year';
    end $$`,
  sql`create trigger audit_log_protect before update or delete on audit_log
    for each row execute function audit_log_protect()`,
  sql`create trigger audit_log_no_truncate before truncate on audit_log
    for each statement execute function audit_log_protect()`,
]
