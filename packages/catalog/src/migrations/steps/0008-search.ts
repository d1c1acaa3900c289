import { sql } from 'kysely'
import { createIndexTables } from '../../search-index/create-index-tables.ts'
import type { Migration } from './migration.ts'

/**
 * Outlines of versions, and the index of packs and sections. Both are filled while the catalog is
 * in use, by `indexWaiting`.
 *
 * `packs.indexed` is the version that the index holds. Older programs leave it as it is, so it
 * tells which packs they changed.
 */
export const createSearch: Migration = {
  name: '0008-search',
  olderMayContinue: true,
  async up(transaction, { dialect }) {
    const integer = sql.raw(dialect.types.integer)
    await sql`alter table packs add column indexed ${integer}`.execute(transaction)
    await createIndexTables(transaction, dialect)
  },
  indexes: [
    {
      name: 'packs_to_index',
      table: 'packs',
      columns: 'number',
      where: 'indexed is distinct from latest',
    },
  ],
}
