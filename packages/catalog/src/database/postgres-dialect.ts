import { sql } from 'kysely'
import type { Dialect } from './dialect.ts'

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
  [/^42883/, 'it is damaged: a function is missing'],
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
 */
export const postgresDialect: Dialect = {
  type: 'postgres',
  types: { integer: 'bigint', text: 'text collate "C"', bytes: 'bytea' },

  async hasTable(queries, table) {
    const { rows } = await sql`select 1 where to_regclass(${table}) is not null`.execute(queries)
    return rows.length > 0
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
