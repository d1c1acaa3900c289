import { sql } from 'kysely'
import type { Migration } from './migration.ts'

/**
 * Figures of versions, filled while the catalog is in use, by `indexWaiting`: also those of
 * versions that older programs commit.
 *
 * They have a table of their own, because SQLite would read the whole document of a version before
 * a column after it: 39 ms instead of 0.1 for a list of 50 versions of 1 MB.
 */
export const createFigures: Migration = {
  name: '0012-figures',
  olderMayContinue: true,
  async up(transaction, { dialect }) {
    const [integer, text] = [sql.raw(dialect.types.integer), sql.raw(dialect.types.text)]
    await sql`create table figures (
      sequence ${integer} primary key, prompt_tokens ${integer} not null, lead ${text} not null
    )`.execute(transaction)
  },
}
