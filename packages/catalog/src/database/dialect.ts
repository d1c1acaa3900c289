import type { RawBuilder, SqlBool } from 'kysely'
import type { Queries } from './schema.ts'

/** Where queries run. What only reads has a connection of its own, so that it waits for no writer. */
export interface Connections {
  readonly queries: Queries
  readonly reads: Queries
  /** Requests by account and day: they wait neither for commits nor for the disk, and a power cut may forget the last. */
  readonly counts: Queries
  close(): Promise<void>
}

/** A database that is open, and the clock that its rows are dated by. */
export interface Database extends Connections {
  readonly dialect: Dialect
  readonly now: () => Date
}

/** What the two databases do differently. */
export interface Dialect {
  readonly type: 'sqlite' | 'postgres'
  /** Column types: whole numbers up to 2^53, text ordered by code point, bytes. */
  readonly types: { readonly integer: string; readonly text: string; readonly bytes: string }
  /** Whether the database was ever migrated. */
  hasMigrations(queries: Queries): Promise<boolean>
  /** Lets one transaction at a time migrate; held until it ends. */
  lockMigrations(transaction: Queries): Promise<void>
  /** Makes the index that {@link Dialect.matchTitle} looks into. */
  createTitleIndex(transaction: Queries): Promise<void>
  /** What a title adds to its row in `packs` for that index. */
  titleColumns(titleKey: string): { readonly title_grams?: string[] }
  /** Puts the title of a pack that has none there into that index. */
  indexTitle(transaction: Queries, pack: number, titleKey: string): Promise<void>
  /** Takes the title of a pack out of that index. */
  unindexTitle(transaction: Queries, pack: number): Promise<void>
  /** True for rows of `packs` with each of these words, which are parts of title keys, in the title. */
  matchTitle(words: readonly string[]): RawBuilder<SqlBool>
  /** Why the database cannot answer, in a few words; `undefined` for an error that says something else. */
  explainFailure(error: Error & { readonly code?: unknown }): string | undefined
}
