import type { EntryQuery, EntryRow, Occurrence } from '@packs/search'
import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Queries } from '../database/schema.ts'

/** A row of `search_entries`, with its terms by number. */
export interface IndexedEntry {
  readonly id: number
  /** Number of the pack. */
  readonly pack: number
  readonly ordinal: number
  readonly tokens: number
  /** As `encodeVector` writes it, and its occurrences. */
  readonly vector: Uint8Array
  readonly occurrences: ReadonlyMap<number, Occurrence>
  /** Terms that the entry is mostly about. */
  readonly keys: readonly number[]
  /** Terms that are in no text, such as the domain; those of the title for a pack as a whole. */
  readonly filters: readonly number[]
}

/** What differs between SQLite and Postgres in the tables of the index. */
export interface IndexTables {
  /** Creates the table of entries and an inverted index of their terms. */
  createEntries(transaction: Queries): Promise<void>
  dropEntries(transaction: Queries): Promise<void>
  /** Returns a table expression `j` with one row for each list; `item` reads its elements. */
  rows(lists: readonly (readonly unknown[])[]): RawBuilder<unknown>
  insertEntries(transaction: Queries, entries: readonly IndexedEntry[]): Promise<void>
  deleteEntries(transaction: Queries, ids: readonly number[]): Promise<void>
  /** Finds entries, the last indexed first. */
  findEntries(queries: Queries, query: EntryQuery): Promise<readonly EntryRow[]>
  /** Returns a condition that is true for rows of `packs` with at least one of these terms. */
  matchPacks(terms: readonly number[]): RawBuilder<SqlBool>
  /**
   * Compares what is stored for finding these entries, other than their vectors. Returns the column
   * of what differs. SQLite finds missing terms, but not terms in excess.
   */
  auditPostings(queries: Queries, entries: readonly IndexedEntry[]): Promise<readonly string[]>
  /** Tells whether a statement failed because tables of the index are missing or damaged. */
  isDamage(error: unknown): boolean
}

/** Reads an element of a row of {@link IndexTables.rows}. */
export const item = {
  integer: (index: number): RawBuilder<number> => sql`cast(j.value ->> ${sql.lit(index)} as integer)`,
  text: (index: number): RawBuilder<string> => sql`(j.value ->> ${sql.lit(index)})`,
}
