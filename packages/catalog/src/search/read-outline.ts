import type { Database } from '../database/dialect.ts'
import { outlineStored } from '../packs/describe-stored.ts'
import { indexTables } from '../search-index/create-index-tables.ts'
import { decodeOutline } from '../search-index/outline-data.ts'
import type { Outline } from '../search-index/outline-data.ts'

/**
 * Returns the sections of the version with this sequence number; `undefined` for an unknown version. A stored outline that is
 * missing or damaged is derived again, but not stored.
 *
 * @throws CatalogError `catalog_damaged`, which names the version
 */
export async function readOutline(database: Database, sequence: number): Promise<Outline | undefined> {
  return (
    (await readStoredOutline(database, sequence)) ?? (await outlineStored(database.reads, sequence))?.outline
  )
}

/** Returns the stored outline; `undefined` if it is missing or damaged, or the whole table is. */
export async function readStoredOutline(
  { reads, dialect }: Database,
  sequence: number,
): Promise<Outline | undefined> {
  try {
    const row = await reads
      .selectFrom('outlines')
      .select('data')
      .where('sequence', '=', sequence)
      .executeTakeFirst()
    return row && decodeOutline(row.data)
  } catch (error) {
    if (indexTables(dialect).isDamage(error)) return undefined
    throw error
  }
}

/** Returns the sequence numbers of the next versions without an outline. */
export async function listMissingOutlines(
  { reads }: Database,
  after: number,
  limit: number,
): Promise<readonly number[]> {
  const rows = await reads
    .selectFrom('versions')
    .select('versions.sequence')
    .leftJoin('outlines', 'outlines.sequence', 'versions.sequence')
    .where('versions.sequence', '>', after)
    .where('outlines.sequence', 'is', null)
    .orderBy('versions.sequence')
    .limit(limit)
    .execute()
  return rows.map(({ sequence }) => sequence)
}
