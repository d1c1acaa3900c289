import { CatalogError } from '../catalog-error.ts'
import { type Database, type Queries, changeCatalog } from '../database/database.ts'
import { describeStored } from '../packs/read-versions.ts'
import { createIndexTables, dropIndexTables } from '../search-index/create-index-tables.ts'
import type { DescribedVersion } from '../search-index/describe-version.ts'
import { storeOutlines, updateIndex, type PackUpdate } from '../search-index/write-packs.ts'

const PACKS_PER_BATCH = 16

/** A version that the index cannot hold, because its document is damaged. */
export interface SkippedVersion {
  readonly slug: string
  readonly version: string
  readonly sequence: number
  readonly reason: string
}

export interface IndexRun {
  readonly packs: number
  readonly versions: number
  readonly skipped: readonly SkippedVersion[]
}

/**
 * Makes the tables of the index from all versions in one transaction: until it ends, and if it does
 * not, the index is as before. Changes wait meanwhile. Figures of versions are counted again.
 * @param onProgress called with the versions so far, and all of them
 */
export function rebuildIndex(
  database: Database,
  onProgress: (done: number, total: number) => void = () => undefined,
): Promise<IndexRun> {
  return changeCatalog(database, async (transaction) => {
    await dropIndexTables(transaction, database.dialect)
    await createIndexTables(transaction, database.dialect)
    const { total } = await transaction
      .selectFrom('versions')
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .where('purge', 'is', null)
      .executeTakeFirstOrThrow()
    const sequences = transaction.selectFrom('versions').select('sequence').where('purge', 'is', null)
    const skipped: SkippedVersion[] = []
    let [packs, versions] = [0, 0]
    for (let after = 0; ;) {
      const rows = await transaction
        .selectFrom('packs')
        .select(['number', 'latest'])
        .where('number', '>', after)
        .orderBy('number')
        .limit(PACKS_PER_BATCH)
        .execute()
      const last = rows.at(-1)
      if (last === undefined) return { packs, versions, skipped }
      after = last.number
      for (const { number, latest } of rows) {
        for (const { sequence } of await sequences.where('pack', '=', number).execute()) {
          const described = await describeOrSkip(transaction, sequence, skipped)
          onProgress(++versions, total)
          if (described === undefined) continue
          await storeOutlines(transaction, [{ sequence, described }])
          await storeLead(transaction, sequence, described.lead)
          const update: PackUpdate = { pack: number, latest, described }
          if (sequence !== latest) continue
          await updateIndex(transaction, database.dialect, [update])
          packs += 1
        }
      }
    }
  })
}

async function describeOrSkip(
  transaction: Queries,
  sequence: number,
  skipped: SkippedVersion[],
): Promise<DescribedVersion | undefined> {
  try {
    return await describeStored(transaction, sequence)
  } catch (error) {
    if (!(error instanceof CatalogError) || error.damaged === undefined) throw error
    const { slug, version } = error.damaged
    skipped.push({ slug, version: version ?? '', sequence, reason: error.message })
    return undefined
  }
}

/** Changes no row that has it already: in SQLite its document would be written again. */
async function storeLead(transaction: Queries, sequence: number, lead: string): Promise<void> {
  await transaction
    .updateTable('versions')
    .set({ lead })
    .where('sequence', '=', sequence)
    .where('lead', '!=', lead)
    .execute()
}
