import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Dialect } from './dialect.ts'
import { groupWords, listShortGrams } from './title-keys.ts'

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
 *
 * Trigrams need words of three characters. Shorter words are searched among the short grams of the
 * title, each stored as one word of hexadecimal digits.
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

  async createTitleIndex(transaction) {
    await sql`create virtual table title_trigrams using fts5(title, content = '', contentless_delete = 1,
      tokenize = 'trigram case_sensitive 1')`.execute(transaction)
    await sql`create virtual table title_grams using fts5(grams, content = '', contentless_delete = 1,
      detail = none, tokenize = 'ascii')`.execute(transaction)
  },

  titleColumns: () => ({}),

  async indexTitle(transaction, pack, titleKey) {
    const grams = listShortGrams(titleKey).map(encodeGram).join(' ')
    await sql`insert into title_trigrams (rowid, title) values (${pack}, ${titleKey})`.execute(transaction)
    await sql`insert into title_grams (rowid, grams) values (${pack}, ${grams})`.execute(transaction)
  },

  async unindexTitle(transaction, pack) {
    await sql`delete from title_trigrams where rowid = ${pack}`.execute(transaction)
    await sql`delete from title_grams where rowid = ${pack}`.execute(transaction)
  },

  matchTitle(words) {
    const { long, short } = groupWords(words)
    const conditions: RawBuilder<SqlBool>[] = []
    if (long.length > 0) {
      const query = long.map((word) => `"${word.replaceAll('"', '""')}"`).join(' AND ')
      conditions.push(
        sql`packs.number in (select rowid from title_trigrams where title_trigrams match ${query})`,
      )
    }
    if (short.length > 0) {
      const query = short.map(encodeGram).join(' AND ')
      conditions.push(sql`packs.number in (select rowid from title_grams where title_grams match ${query})`)
    }
    return sql`(${sql.join(conditions, sql` and `)})`
  },

  explainFailure({ code, message }) {
    if (typeof code !== 'string') return undefined
    if (code === 'SQLITE_ERROR' && /^no such (table|column): /.test(message)) {
      return 'it is damaged: a table or column is missing'
    }
    return FAILURES.get(code.split('_', 2).join('_'))
  },
}

/** Encodes a gram as `x` and digits, so that it is never an operator of the query language. */
function encodeGram(gram: string): string {
  return Array.from(gram, (character) => `x${character.codePointAt(0)?.toString(16)}`).join('')
}
