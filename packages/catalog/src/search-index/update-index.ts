import type { Dialect } from '../database/dialect.ts'
import type { Queries } from '../database/schema.ts'
import { indexTables } from './create-index-tables.ts'
import type { DescribedVersion } from './describe-version.ts'
import { writeTexts } from './section-texts.ts'
import { damagedIndexError, writePacks, type PackEntries } from './write-packs.ts'

/** Rows of one statement; their columns stay below the parameter limits of both databases. */
const ROWS_PER_STATEMENT = 500

/** A committed version with what the index holds of it. */
export interface CommittedVersion {
  readonly sequence: number
  readonly described: DescribedVersion
}

/** A pack with the version that the index is to hold. */
export interface PackUpdate extends PackEntries {
  /** `null` hides the pack. */
  readonly latest: number | null
}

/** Indexes those that are the latest of their pack. */
export async function indexCommitted(
  transaction: Queries,
  dialect: Dialect,
  versions: readonly CommittedVersion[],
): Promise<void> {
  const described = new Map(versions.map(({ sequence, described: found }) => [sequence, found]))
  const updates: PackUpdate[] = []
  for (const part of splitParts([...described.keys()])) {
    const rows = await transaction
      .selectFrom('versions')
      .innerJoin('packs', 'packs.number', 'versions.pack')
      .select(['packs.number', 'packs.latest', 'versions.sequence'])
      .where('versions.sequence', 'in', part)
      .orderBy('versions.sequence')
      .execute()
    for (const { number, latest, sequence } of rows)
      if (latest === sequence) updates.push({ pack: number, latest, described: described.get(sequence) })
  }
  await storeOutlines(transaction, versions)
  await updateIndex(transaction, dialect, updates)
}

/**
 * Runs in a transaction that holds the lock of the catalog.
 * @throws CatalogError `catalog_unavailable` for a damaged index, `schema_too_old`
 */
export async function updateIndex(
  transaction: Queries,
  dialect: Dialect,
  updates: readonly PackUpdate[],
): Promise<void> {
  if (updates.length === 0) return
  const tables = indexTables(dialect)
  try {
    await writePacks(transaction, tables, updates)
    await writeTexts(
      transaction,
      updates.map(({ pack, latest, described }) => ({ pack, latest, texts: described?.texts })),
    )
  } catch (error) {
    throw error instanceof RangeError || tables.isDamage(error) ? damagedIndexError(error) : error
  }
}

export async function storeOutlines(
  transaction: Queries,
  versions: readonly CommittedVersion[],
): Promise<void> {
  const rows = versions.map(({ sequence, described }) => ({ sequence, data: described.outline }))
  for (const values of splitParts(rows)) await transaction.insertInto('outlines').values(values).execute()
}

function splitParts<T>(rows: readonly T[]): T[][] {
  const parts: T[][] = []
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT)
    parts.push(rows.slice(start, start + ROWS_PER_STATEMENT))
  return parts
}
