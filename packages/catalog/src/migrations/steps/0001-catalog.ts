import { sql, type RawBuilder } from 'kysely'
import type { Dialect } from '../../database/dialect.ts'
import type { Queries } from '../../database/schema.ts'
import type { Migration } from './migration.ts'

/** Packs, versions, sources, accounts, keys, settings and jobs. */
export const createCatalogTables: Migration = {
  name: '0001-catalog',
  olderMayContinue: false,
  async up(transaction, { dialect, now }) {
    const time = now().toISOString()
    await createPacks(transaction, dialect)
    await createAccounts(transaction, dialect)
    await createSettings(transaction, dialect)
    await sql`insert into catalog_state (id, sequence, updated_at) values (1, 0, ${time})`.execute(
      transaction,
    )
    const mode = JSON.stringify({ mode: 'online', since: time, message: null, retry_after: null })
    await sql`insert into settings (name, value) values ('mode', ${mode})`.execute(transaction)
  },
}

async function createPacks(transaction: Queries, dialect: Dialect): Promise<void> {
  const { integer, text, bytes } = columnTypes(dialect)
  await sql`create table packs (
    number ${integer} primary key, id ${text} not null unique, slug ${text} not null unique,
    sequence ${integer} not null unique, updated_at ${text} not null,
    head ${integer} not null, latest ${integer},
    title_key ${text} not null, domain ${text} not null, domain_slug ${text} not null,
    difficulty ${text} not null, tokens ${integer} not null
  )`.execute(transaction)
  await sql`create table versions (
    sequence ${integer} primary key, pack ${integer} not null references packs (number),
    major ${integer} not null, minor ${integer} not null, patch ${integer} not null,
    published_at ${text} not null, source_digest ${text} not null, parent ${text}, provenance ${text} not null,
    summary ${text} not null, domain_slug ${text} not null, difficulty ${text} not null,
    yanked_reason ${text}, document ${bytes} not null,
    unique (pack, major, minor, patch)
  )`.execute(transaction)
  await sql`create index packs_by_title on packs (title_key, id) where latest is not null`.execute(
    transaction,
  )
  await sql`create index packs_by_domain on packs (domain_slug, title_key, id) where latest is not null`.execute(
    transaction,
  )
  await sql`create index packs_by_difficulty on packs (difficulty, title_key, id) where latest is not null`.execute(
    transaction,
  )
  await sql`create table sources (sha256 ${text} primary key, bytes ${bytes} not null)`.execute(transaction)
  await dialect.createTitleIndex(transaction)
}

async function createAccounts(transaction: Queries, dialect: Dialect): Promise<void> {
  const { integer, text } = columnTypes(dialect)
  await sql`create table accounts (
    id ${text} primary key, email ${text} not null unique, tier ${text} not null, daily ${integer},
    claim_hash ${text}, claim_expires_at ${text}, created_at ${text} not null
  )`.execute(transaction)
  await sql`create table keys (
    id ${text} primary key, account_id ${text} not null references accounts (id), name ${text} not null,
    sha256 ${text} not null unique, last4 ${text} not null, created_at ${text} not null,
    expires_at ${text}, last_used_at ${text}, revoked_at ${text}
  )`.execute(transaction)
  await sql`create index keys_by_account on keys (account_id, created_at)`.execute(transaction)
}

async function createSettings(transaction: Queries, dialect: Dialect): Promise<void> {
  const { integer, text } = columnTypes(dialect)
  await sql`create table catalog_state (
    id ${integer} primary key check (id = 1), sequence ${integer} not null, updated_at ${text} not null
  )`.execute(transaction)
  await sql`create table settings (name ${text} primary key, value ${text} not null)`.execute(transaction)
  await sql`create table jobs (
    id ${text} primary key, slug ${text} not null, state ${text} not null, progress ${integer} not null,
    attempts ${integer} not null, error ${text}, updated_at ${text} not null
  )`.execute(transaction)
  await sql`create index jobs_by_time on jobs (updated_at, id)`.execute(transaction)
}

function columnTypes({ types }: Dialect): Record<keyof Dialect['types'], RawBuilder<unknown>> {
  return { integer: sql.raw(types.integer), text: sql.raw(types.text), bytes: sql.raw(types.bytes) }
}
