import type { EntryRow } from '@packs/search'
import { sql, type RawBuilder } from 'kysely'
import { readDriverCode } from '../database/translate-failures.ts'
import { item, type IndexedEntry, type IndexTables } from './index-tables.ts'

/**
 * Postings in SQLite are a table of FTS5 without contents. Its words are numbers: `t1f` is a term
 * or a filter, `k1f` a term that an entry is mostly about. So no text of a query is ever a part of
 * FTS5's query language.
 */
export const sqliteTables: IndexTables = {
  async createEntries(transaction) {
    await sql`create table search_entries (
      id integer primary key, pack integer not null, ordinal integer not null, tokens integer not null,
      vector blob not null, unique (pack, ordinal)
    )`.execute(transaction)
    await sql`create virtual table search_postings using fts5(terms, content = '', contentless_delete = 1,
      detail = none, tokenize = 'ascii')`.execute(transaction)
  },

  async dropEntries(transaction) {
    await sql`drop table if exists search_entries`.execute(transaction)
    await sql`drop table if exists search_postings`.execute(transaction)
  },

  rows: createRows,

  async insertEntries(transaction, entries) {
    const rows = entries.map(({ id, pack, ordinal, tokens, vector }) => [
      id,
      pack,
      ordinal,
      tokens,
      Buffer.from(vector).toString('hex'),
    ])
    await sql`insert into search_entries (id, pack, ordinal, tokens, vector)
      select ${item.integer(0)}, ${item.integer(1)}, ${item.integer(2)}, ${item.integer(3)}, unhex(${item.text(4)})
      from ${createRows(rows)}`.execute(transaction)
    const postings = entries.map((entry) => [entry.id, listPostings(entry).map(nameTerm).join(' ')])
    await sql`insert into search_postings (rowid, terms)
      select j.value ->> 0, j.value ->> 1 from ${createRows(postings)}`.execute(transaction)
  },

  async deleteEntries(transaction, ids) {
    const rows = createRows(ids.map((id) => [id]))
    for (const [table, column] of [
      ['search_postings', 'rowid'],
      ['search_entries', 'id'],
    ] as const)
      await sql`delete from ${sql.table(table)}
        where ${sql.ref(column)} in (select ${item.integer(0)} from ${rows})`.execute(transaction)
  },

  async findEntries(queries, { any, filters, maxTokens, limit }) {
    const lists = any.map((all) => [...all, ...filters]).filter((all) => all.length > 0)
    if (lists.length === 0) return []
    const most = maxTokens === undefined ? sql`` : sql`and e.tokens <= ${maxTokens}`
    const { rows } = await sql<EntryRow>`select e.pack, e.ordinal, e.tokens, e.vector
      from search_postings p cross join search_entries e on e.id = p.rowid
      where p.search_postings match ${formatQuery(lists)} ${most} order by p.rowid desc limit ${limit}`.execute(
      queries,
    )
    return rows
  },

  matchPacks: (terms) => sql`packs.number in (select e.pack from search_postings p
    cross join search_entries e on e.id = p.rowid
    where p.search_postings match ${formatQuery(terms.map((term) => [term]))})`,

  /** Compares numbers of terms, because a question to FTS5 reads the postings of every term. */
  async auditPostings(queries, entries) {
    const ids = createRows(entries.map(({ id }) => [id]))
    const { rows } = await sql<{ id: number; size: Uint8Array }>`select id, sz as size
      from search_postings_docsize where id in (select ${item.integer(0)} from ${ids})`.execute(queries)
    const sizes = new Map(rows.map(({ id, size }) => [id, readVarint(size)]))
    const isSame = entries.every((entry) => sizes.get(entry.id) === listPostings(entry).length)
    return isSame ? [] : ['search_postings.terms']
  },

  isDamage: (error) => /^SQLITE_(ERROR|CORRUPT|CONSTRAINT|MISMATCH)/.test(String(readDriverCode(error))),
}

function createRows(lists: readonly (readonly unknown[])[]): RawBuilder<unknown> {
  return sql`json_each(${JSON.stringify(lists)}) as j`
}

/** Reads an integer of SQLite's file format: seven bits a byte, the highest first. */
function readVarint(bytes: Uint8Array): number {
  return bytes.reduce((value, byte) => value * 128 + (byte & 127), 0)
}

function listPostings({ occurrences, filters, keys }: IndexedEntry): number[] {
  return [...occurrences.keys(), ...filters, ...keys.map((term) => -term)]
}

function nameTerm(term: number): string {
  return `${term < 0 ? 'k' : 't'}${Math.abs(term).toString(36)}`
}

/** An entry matches if it has all terms of one of the lists. */
function formatQuery(lists: readonly (readonly number[])[]): string {
  return lists.map((all) => `(${all.map(nameTerm).join(' AND ')})`).join(' OR ')
}
