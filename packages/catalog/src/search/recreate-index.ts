import { INDEX_FORMAT } from '@packs/search'
import type { Database } from '../database/dialect.ts'
import type { Queries } from '../database/schema.ts'
import { changeCatalog } from '../packs/change-catalog.ts'
import { createIndexTables, dropIndexTables } from '../search-index/create-index-tables.ts'
import { readIndexState } from '../search-index/write-packs.ts'

/**
 * Packs that one transaction marks. In Postgres this writes their rows and the entries of their
 * indexes again.
 */
const PACKS_PER_BATCH = 500

/**
 * Drops the tables of the index, also damaged ones, and creates them empty. Packs are first marked
 * as not indexed in short transactions; the last one marks those that were committed meanwhile and
 * replaces the tables.
 */
export async function recreateIndex(database: Database): Promise<void> {
  await unmarkPacks(database)
  await changeCatalog(database, (transaction) => replaceTables(transaction, database))
}

/**
 * Recreates the tables if their entries have another format, or their state is lost. Several
 * processes may do this at once.
 */
export async function resetIndex(database: Database): Promise<void> {
  await unmarkPacks(database)
  await changeCatalog(database, async (transaction) => {
    const state = await readIndexState(transaction)
    if (state?.format !== INDEX_FORMAT) await replaceTables(transaction, database)
  })
}

async function unmarkPacks(database: Database): Promise<void> {
  for (let after = 0; ;) {
    const last = await changeCatalog(database, async (transaction) => {
      const rows = await transaction
        .selectFrom('packs')
        .select('number')
        .where('indexed', 'is not', null)
        .where('number', '>', after)
        .orderBy('number')
        .limit(PACKS_PER_BATCH)
        .execute()
      const numbers = rows.map(({ number }) => number)
      if (numbers.length > 0)
        await transaction.updateTable('packs').set({ indexed: null }).where('number', 'in', numbers).execute()
      return numbers.at(-1)
    })
    if (last === undefined) return
    after = last
  }
}

async function replaceTables(transaction: Queries, { dialect }: Database): Promise<void> {
  await transaction.updateTable('packs').set({ indexed: null }).where('indexed', 'is not', null).execute()
  await dropIndexTables(transaction, dialect)
  await createIndexTables(transaction, dialect)
}
