import { sql } from 'kysely'
import type { Dialect } from './dialect.ts'

const FAILURES: ReadonlyMap<string, string> = new Map([
  ['SQLITE_BUSY', 'another process has held its lock for too long'],
  ['SQLITE_LOCKED', 'another process has held its lock for too long'],
  ['SQLITE_PROTOCOL', 'another process has held its lock for too long'],
  ['SQLITE_FULL', 'the disk is full'],
  ['SQLITE_IOERR', 'the disk failed to read or write'],
  ['SQLITE_CANTOPEN', 'the file cannot be opened'],
  ['SQLITE_PERM', 'this user is not allowed to open the file'],
  ['SQLITE_READONLY', 'the file cannot be written by this user'],
  ['SQLITE_NOMEM', 'there is not enough memory'],
  ['SQLITE_CORRUPT', 'the file is damaged'],
  ['SQLITE_NOTADB', 'the file is not a SQLite database'],
])

/**
 * SQLite compares text by UTF-8 bytes, which is by code point.
 */
export const sqliteDialect: Dialect = {
  type: 'sqlite',
  types: { integer: 'integer', text: 'text', bytes: 'blob' },

  async hasTable(queries, table) {
    const { rows } = await sql`select 1 from sqlite_master where type = 'table' and name = ${table}`.execute(
      queries,
    )
    return rows.length > 0
  },

  explainFailure({ code, message }) {
    if (typeof code !== 'string') return undefined
    if (code === 'SQLITE_ERROR' && /^no such (table|column): /.test(message)) {
      return 'it is damaged: a table or column is missing'
    }
    return FAILURES.get(code.split('_', 2).join('_'))
  },
}
