import { sql, type RawBuilder, type SqlBool } from 'kysely'
import { CatalogError } from '../catalog-error.ts'
import type { Dialect } from './dialect.ts'
import { groupWords, listShortGrams } from './title-keys.ts'
import type { Queries } from './schema.ts'
import { readDriverCode } from './translate-failures.ts'

/** SQLSTATE codes: missing privilege, extension not supported, extension file not found. */
const EXTENSION_UNAVAILABLE: ReadonlySet<unknown> = new Set(['42501', '0A000', '58P01'])

/** Error codes of the driver's sockets. */
const SOCKET_ERROR = /^(ECONN\w+|EHOST\w+|ENET\w+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|EACCES|ENOENT)$/

/** SQLSTATE classes and codes that mean that the server cannot answer now, or not for this user. */
const FAILURES: readonly (readonly [RegExp, string])[] = [
  [/^08/, 'the connection broke'],
  [/^28/, 'it rejected the user or the password'],
  [/^3D000/, 'it has no database with this name'],
  [/^25006/, 'it is read-only'],
  [/^25P0[34]/, 'a transaction took too long'],
  [/^42(P01|703)/, 'it is damaged: a table or column is missing'],
  [/^40/, 'it rolled back a transaction because of another one'],
  [/^42501/, 'the user lacks a privilege'],
  [/^53/, 'it is out of disk space, memory or connections'],
  [/^55P03/, 'another process has held a lock for too long'],
  [/^57014/, 'a statement took too long'],
  [/^57/, 'it is shutting down or starting'],
  [/^58/, 'its disk failed'],
  [/^XX/, 'it is damaged, or failed internally'],
]

/**
 * Postgres compares text by code point (`COLLATE "C"`).
 *
 * `pg_trgm` finds words of three characters and more; shorter words are searched in an array of
 * short grams.
 */
export const postgresDialect: Dialect = {
  type: 'postgres',
  types: { integer: 'bigint', text: 'text collate "C"', bytes: 'bytea' },

  async hasTable(queries, table) {
    const { rows } = await sql`select 1 where to_regclass(${table}) is not null`.execute(queries)
    return rows.length > 0
  },

  async createTitleIndex(transaction) {
    await createTrigramExtension(transaction)
    await sql`create index packs_by_trigram on packs using gin (title_key gin_trgm_ops)`.execute(transaction)
    await sql`alter table packs add column title_grams text[] collate "C"`.execute(transaction)
    await sql`create index packs_by_gram on packs using gin (title_grams)`.execute(transaction)
  },

  titleColumns: (titleKey) => ({ title_grams: listShortGrams(titleKey) }),

  indexTitle: () => Promise.resolve(),

  unindexTitle: () => Promise.resolve(),

  matchTitle(words) {
    const { long, short } = groupWords(words)
    const conditions: RawBuilder<SqlBool>[] = long.map(
      (word) => sql`packs.title_key like ${`%${word.replace(/[\\%_]/g, String.raw`\$&`)}%`}`,
    )
    if (short.length > 0) conditions.push(sql`packs.title_grams @> ${short}::text[]`)
    return sql`(${sql.join(conditions, sql` and `)})`
  },

  explainFailure({ code, message }) {
    if (typeof code !== 'string') {
      return /^Connection terminated|timeout exceeded when trying to connect|^Query read timeout|^Client (has encountered|was closed)/.test(
        message,
      )
        ? 'the connection broke or could not be made in time'
        : undefined
    }
    if (SOCKET_ERROR.test(code)) return `no connection (${code})`
    return FAILURES.find(([pattern]) => pattern.test(code))?.[1]
  },
}

async function createTrigramExtension(transaction: Queries): Promise<void> {
  try {
    await sql`create extension if not exists pg_trgm`.execute(transaction)
  } catch (error) {
    if (!EXTENSION_UNAVAILABLE.has(readDriverCode(error))) throw error
    throw new CatalogError(
      'catalog_unavailable',
      'The database lacks the extension pg_trgm, and this user cannot add it',
      'Let the owner of the database run CREATE EXTENSION pg_trgm. Some systems ship it in the package postgresql-contrib.',
      { cause: error },
    )
  }
}
