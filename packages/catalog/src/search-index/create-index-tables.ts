import { INDEX_FORMAT } from '@packs/search'
import { sql } from 'kysely'
import type { Dialect } from '../database/dialect.ts'
import type { Queries } from '../database/schema.ts'
import type { IndexTables } from './index-tables.ts'
import { postgresTables } from './postgres-tables.ts'
import { sqliteTables } from './sqlite-tables.ts'

export function indexTables({ type }: Pick<Dialect, 'type'>): IndexTables {
  return type === 'sqlite' ? sqliteTables : postgresTables
}

/**
 * Creates the tables of the index, of outlines and of section texts, empty. A later change of them
 * is a step of the schema too.
 */
export async function createIndexTables(transaction: Queries, dialect: Dialect): Promise<void> {
  const integer = sql.raw(dialect.types.integer)
  const text = sql.raw(dialect.types.text)
  await sql`create table outlines (sequence ${integer} primary key, data ${text} not null)`.execute(
    transaction,
  )
  await sql`create table search_state (
    id integer primary key check (id = 1), format integer not null, sections ${integer} not null,
    words ${integer} not null, next_entry integer not null, next_term integer not null
  )`.execute(transaction)
  await sql`insert into search_state (id, format, sections, words, next_entry, next_term)
    values (1, ${sql.lit(INDEX_FORMAT)}, 0, 0, 1, 1)`.execute(transaction)
  // Counts change with every commit. Room in the pages of Postgres keeps such changes out of the indexes.
  const options = sql.raw(dialect.type === 'postgres' ? 'with (fillfactor = 90)' : '')
  await sql`create table search_terms (
    id integer primary key, sections integer not null, entries integer not null,
    term ${text} not null unique, word ${text} not null
  ) ${options}`.execute(transaction)
  await indexTables(dialect).createEntries(transaction)
  await createTextTable(transaction, dialect)
}

/**
 * Creates the table of section texts, unless it exists. It has the sections of indexed versions, so
 * that snippets and passages need not read and decode packs.
 */
export async function createTextTable(transaction: Queries, { types }: Dialect): Promise<void> {
  const [integer, bytes] = [sql.raw(types.integer), sql.raw(types.bytes)]
  await sql`create table if not exists section_texts (
    sequence ${integer} not null, ordinal integer not null, sha256 ${bytes} not null, text ${bytes},
    primary key (sequence, ordinal)
  )`.execute(transaction)
}

/** Drops these tables, also damaged ones, as far as they exist. */
export async function dropIndexTables(transaction: Queries, dialect: Dialect): Promise<void> {
  await indexTables(dialect).dropEntries(transaction)
  for (const table of ['outlines', 'section_texts', 'search_state', 'search_terms'])
    await sql`drop table if exists ${sql.table(table)}`.execute(transaction)
}
