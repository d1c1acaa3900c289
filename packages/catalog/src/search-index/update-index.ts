import { sql } from 'kysely'
import type { Dialect } from '../database/dialect.ts'
import type { Queries } from '../database/schema.ts'
import type { DescribedVersion } from './describe-version.ts'
import { indexTables } from './create-index-tables.ts'
import { writeTexts } from './section-texts.ts'
import { IndexFormatError, writePacks, type PackEntries } from './write-packs.ts'

/** Rows of one statement; their columns stay below the parameter limits of both databases. */
const ROWS_PER_STATEMENT = 500

/** A committed version with its description; `undefined` if it cannot be decoded. */
export interface CommittedVersion {
  readonly sequence: number
  readonly described: DescribedVersion | undefined
}

/** A pack with the version that the index is to hold. */
export interface PackUpdate extends PackEntries {
  /** `null` hides the pack. */
  readonly latest: number | null
}

/**
 * Stores the outlines of committed versions, and indexes those that are the latest of their pack.
 */
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
  await updateIndex(transaction, dialect, updates, versions)
}

/**
 * Stores outlines and replaces the entries and texts of packs, within a transaction that holds the
 * lock of the catalog.
 *
 * If the tables of the index are damaged or missing, the transaction continues without them: the
 * packs are marked as not indexed, and `state()` tells. So a damaged index never prevents a commit.
 */
export async function updateIndex(
  transaction: Queries,
  dialect: Dialect,
  updates: readonly PackUpdate[],
  outlines: readonly CommittedVersion[],
): Promise<boolean> {
  const packs = updates.map(({ pack }) => pack)
  if (packs.length === 0 && outlines.length === 0) return true
  const tables = indexTables(dialect)
  await sql`savepoint search_index`.execute(transaction)
  try {
    await storeOutlines(transaction, outlines)
    await writePacks(transaction, tables, updates)
    await writeTexts(
      transaction,
      updates.map(({ pack, latest, described }) => ({ pack, latest, texts: described?.texts })),
    )
    await markIndexed(transaction, updates)
    await sql`release savepoint search_index`.execute(transaction)
    return true
  } catch (error) {
    const isHarmless =
      error instanceof IndexFormatError || error instanceof RangeError || tables.isDamage(error)
    if (!isHarmless) throw error
    await sql`rollback to savepoint search_index`.execute(transaction)
    await sql`release savepoint search_index`.execute(transaction)
    await setIndexed(transaction, packs, sql`null`)
    return false
  }
}

async function storeOutlines(transaction: Queries, outlines: readonly CommittedVersion[]): Promise<void> {
  const rows = outlines.flatMap(({ sequence, described }) =>
    described === undefined ? [] : [{ sequence, data: described.outline }],
  )
  for (const values of splitParts(rows)) {
    await transaction
      .insertInto('outlines')
      .values([...values])
      .onConflict((conflict) =>
        conflict.column('sequence').doUpdateSet((builder) => ({ data: builder.ref('excluded.data') })),
      )
      .execute()
  }
}

async function markIndexed(transaction: Queries, updates: readonly PackUpdate[]): Promise<void> {
  const isRight = ({ latest, described }: PackUpdate): boolean =>
    latest === null ? true : described !== undefined
  const right = updates.filter(isRight).map(({ pack }) => pack)
  const wrong = updates.filter((update) => !isRight(update)).map(({ pack }) => pack)
  await setIndexed(transaction, right, sql`latest`)
  await setIndexed(transaction, wrong, sql`null`)
}

/** Changes no row that has the value already: new packs are inserted with it. */
async function setIndexed(
  transaction: Queries,
  packs: readonly number[],
  value: ReturnType<typeof sql>,
): Promise<void> {
  for (const part of splitParts(packs)) {
    await sql`update packs set indexed = ${value}
      where number in (${sql.join(part)}) and indexed is distinct from ${value}`.execute(transaction)
  }
}

function splitParts<T>(rows: readonly T[]): T[][] {
  const parts: T[][] = []
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT)
    parts.push(rows.slice(start, start + ROWS_PER_STATEMENT))
  return parts
}
