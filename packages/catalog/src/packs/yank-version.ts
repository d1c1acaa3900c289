import { type Actor, recordAudit } from '../audit/create-audit-store.ts'
import { CatalogError } from '../catalog-error.ts'
import type { Database } from '../database/dialect.ts'
import type { PackTable, Queries, VersionTable } from '../database/schema.ts'
import { updateIndex } from '../search-index/update-index.ts'
import type { DescribedVersion } from '../search-index/describe-version.ts'
import type { YankedVersion } from '../types.ts'
import { changeCatalog } from '../database/change-catalog.ts'
import { tryToDescribeStored, readOneVersion } from './read-versions.ts'
import { findPack, findVersion, highestFirst, updatePackRow } from './pack-row.ts'

interface Yank {
  readonly slug: string
  readonly version: string
  /** `null` undoes the yank. */
  readonly reason: string | null
  readonly actor: Actor
}

/**
 * Yanks a version, or undoes the yank. Another reason is a change, because clients show it.
 * @throws CatalogError `unknown_pack` or `unknown_version`
 */
export async function yankVersion(database: Database, yank: Yank): Promise<YankedVersion> {
  const { slug, version, reason, actor } = yank
  const expected = await describeLatestAfter(database.reads, yank)
  return changeCatalog(database, async (transaction, advance) => {
    const { pack, row } = await requireVersion(transaction, slug, version)
    if (row.yanked_reason !== reason) {
      const position = advance()
      await transaction
        .updateTable('versions')
        .set({ yanked_reason: reason })
        .where('sequence', '=', row.sequence)
        .execute()
      const latest = await updatePackRow(transaction, pack, position)
      if (latest !== pack.latest) {
        const described =
          latest === null || latest === expected?.sequence
            ? expected?.described
            : await tryToDescribeStored(transaction, latest)
        await updateIndex(transaction, database.dialect, [{ pack: pack.number, latest, described }])
      }
      await recordAudit(transaction, {
        at: database.now(),
        action: reason === null ? 'version.restored' : 'version.yanked',
        actor,
        target: `${pack.slug}@${version}`,
        details: { reason, reason_before: row.yanked_reason },
      })
    }
    const yanked = await readOneVersion(transaction, slug, version)
    if (yanked === undefined) throw new Error('A version that was just updated is missing')
    return { ...yanked, reason_before: row.yanked_reason }
  })
}

/**
 * Describes the next latest version before the transaction, because this can take long. If
 * another change comes first, it is described in the transaction.
 */
async function describeLatestAfter(
  reads: Queries,
  { slug, version, reason }: Yank,
): Promise<{ readonly sequence: number; readonly described: DescribedVersion | undefined } | undefined> {
  const pack = await findPack(reads, slug)
  const row = pack && (await findVersion(reads, pack, version))
  if (row === undefined) return undefined
  const highest = await reads
    .selectFrom('versions')
    .select('sequence')
    .where('pack', '=', row.pack)
    .where((where) =>
      reason === null
        ? where.or([where('yanked_reason', 'is', null), where('sequence', '=', row.sequence)])
        : where.and([where('yanked_reason', 'is', null), where('sequence', '!=', row.sequence)]),
    )
    .orderBy(highestFirst)
    .limit(1)
    .executeTakeFirst()
  if (highest === undefined || highest.sequence === pack?.latest) return undefined
  return { sequence: highest.sequence, described: await tryToDescribeStored(reads, highest.sequence) }
}

/** @throws CatalogError `unknown_pack` or `unknown_version` */
export async function requireVersion(
  queries: Queries,
  slug: string,
  version: string,
): Promise<{ readonly pack: PackTable; readonly row: Omit<VersionTable, 'document'> }> {
  const pack = await findPack(queries, slug)
  if (pack === undefined) {
    const hint = 'Check the slug: lower-case words joined by hyphens.'
    throw new CatalogError('unknown_pack', `There is no pack ${slug.slice(0, 80)}`, hint)
  }
  const row = await findVersion(queries, pack, version)
  if (row === undefined) {
    const hint = 'Check which versions the pack has.'
    throw new CatalogError('unknown_version', `${pack.slug} has no version ${version.slice(0, 80)}`, hint)
  }
  return { pack, row }
}
