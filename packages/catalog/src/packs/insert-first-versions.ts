import type { Dialect } from '../database/dialect.ts'
import type { PackTable, Queries } from '../database/schema.ts'
import type { NewVersion } from '../types.ts'
import type { Position } from './change-catalog.ts'
import { deriveListedColumns } from './refresh-pack.ts'
import { createVersionRow } from './create-version-row.ts'

/** A version of a pack that was not there before, and the number it was given. */
export interface FirstVersion {
  readonly version: NewVersion
  readonly position: Position
}

/** Both databases take more parameters than the columns of so many rows. */
const ROWS = 100

/** Inserts packs with their first versions, many with one statement: a release holds the lock no longer than it must. */
export async function insertFirstVersions(
  transaction: Queries,
  dialect: Dialect,
  firsts: readonly FirstVersion[],
): Promise<void> {
  for (let start = 0; start < firsts.length; start += ROWS) {
    const part = firsts.slice(start, start + ROWS)
    const packs = part.map((first) => createPackRow(first, dialect))
    const versions = part.map(({ version, position }) =>
      createVersionRow(version, position.sequence, position),
    )
    await transaction.insertInto('packs').values(packs).execute()
    await transaction.insertInto('versions').values(versions).execute()
    for (const { number, title_key } of packs) await dialect.indexTitle(transaction, number, title_key)
  }
}

/** A first version is the newest, the highest and the only one. */
function createPackRow({ version, position }: FirstVersion, dialect: Dialect): PackTable {
  const { sequence, updated_at } = position
  return {
    number: sequence,
    id: version.pack.id,
    slug: version.pack.slug,
    sequence,
    updated_at,
    head: sequence,
    latest: sequence,
    ...deriveListedColumns(version.pack, dialect),
  }
}
