import { type Actor, recordAudit } from '../audit/create-audit-store.ts'
import { CatalogError } from '../catalog-error.ts'
import {
  type Database,
  type PackTable,
  type Queries,
  type VersionTable,
  changeCatalog,
} from '../database/database.ts'
import { updateIndex } from '../search-index/write-packs.ts'
import type { DescribedVersion } from '../search-index/describe-version.ts'
import type { YankedVersion } from '../types.ts'
import { purgedVersionError, tryToDescribeStored, readOneVersion } from './read-versions.ts'
import { findPack, findVersion, highestFirst, updatePackRow } from './pack-row.ts'
import { fieldLimits, findWrongSignature, readSignatures, type PackSignature } from '@packs/codec/internal'
import { openDocument, parseSignatures, unreadableColumnError } from './version-row.ts'

interface Yank {
  readonly slug: string
  readonly version: string
  /** `null` undoes the yank. */
  readonly reason: string | null
  readonly actor: Actor
}

/**
 * Yanks a version, or undoes the yank. Another reason is a change, because clients show it.
 * @throws CatalogError `unknown_pack`, `unknown_version` or `purged_version`
 */
export async function yankVersion(database: Database, yank: Yank): Promise<YankedVersion> {
  const { slug, version, reason, actor } = yank
  const found = await findPack(database.reads, slug)
  const changed = found && (await findVersion(database.reads, found, version))
  const [hidden, shown] = reason === null ? [[], [changed?.sequence ?? 0]] : [[changed?.sequence ?? 0], []]
  const expected = changed && (await describeLatestAfter(database.reads, found, hidden, shown))
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

/** Describes the next latest version before the transaction, because this can take long. */
export async function describeLatestAfter(
  reads: Queries,
  pack: Pick<PackTable, 'number' | 'latest'>,
  hidden: readonly number[],
  shown: readonly number[] = [],
): Promise<{ readonly sequence: number; readonly described: DescribedVersion | undefined } | undefined> {
  const highest = await reads
    .selectFrom('versions')
    .select('sequence')
    .where('pack', '=', pack.number)
    .where((where) =>
      where.or([
        // No version has the number 0.
        where('sequence', 'in', [0, ...shown]),
        where.and([where('yanked_reason', 'is', null), where('sequence', 'not in', [0, ...hidden])]),
      ]),
    )
    .orderBy(highestFirst)
    .limit(1)
    .executeTakeFirst()
  if (highest === undefined || highest.sequence === pack.latest) return undefined
  return { sequence: highest.sequence, described: await tryToDescribeStored(reads, highest.sequence) }
}

/** @throws CatalogError `unknown_pack`, `unknown_version` or `purged_version` */
export async function requireVersion(
  queries: Queries,
  slug: string,
  version: string,
): Promise<{ readonly pack: PackTable; readonly row: Omit<VersionTable, 'document'> }> {
  const pack = await requirePack(queries, slug)
  const row = await findVersion(queries, pack, version)
  if (row === undefined) {
    const hint = 'Check which versions the pack has.'
    throw new CatalogError('unknown_version', `${pack.slug} has no version ${version.slice(0, 80)}`, hint)
  }
  if (row.purge !== null) throw purgedVersionError({ ...row, slug: pack.slug, version }, version)
  return { pack, row }
}

/** @throws CatalogError `unknown_pack` */
export async function requirePack(queries: Queries, slug: string): Promise<PackTable> {
  const pack = await findPack(queries, slug)
  if (pack !== undefined) return pack
  const hint = 'Check the slug: lower-case words joined by hyphens.'
  throw new CatalogError('unknown_pack', `There is no pack ${slug.slice(0, 80)}`, hint)
}

/** Verifies a signature against the document: no reader is ever sent one that does not hold. */
async function requireValid(
  { reads }: Database,
  slug: string,
  version: string,
  signature: PackSignature,
): Promise<void> {
  const stored = await readOneVersion(reads, slug, version)
  if (stored === undefined) return void (await requireVersion(reads, slug, version))
  const { pack_digest } = openDocument(stored)
  const signatures = readSignatures([signature])
  if (signatures !== undefined && !(await findWrongSignature({ pack_digest, signatures }))) return
  const hint = 'Sign the digest of this version, with the key that the signature names.'
  throw new CatalogError('invalid_signature', `The signature is not one of ${slug}@${version}`, hint)
}

/**
 * Adds a signature, which changes the pack, so that downloads and caches get it. A key signs a
 * version once: again, nothing changes.
 * @throws CatalogError `unknown_pack`, `unknown_version`, `invalid_signature`,
 *   `too_many_signatures`
 */
export async function addSignature(
  database: Database,
  slug: string,
  version: string,
  signature: PackSignature,
  actor: Actor,
): Promise<{ readonly isNew: boolean; readonly signatures: readonly PackSignature[] }> {
  await requireValid(database, slug, version, signature)
  return changeCatalog(database, async (transaction, advance) => {
    const { pack, row } = await requireVersion(transaction, slug, version)
    const before = parseSignatures(row)
    if (before === undefined)
      throw unreadableColumnError('signatures', row.sequence, { damaged: { slug, version } })
    if (before.some(({ key_id }) => key_id === signature.key_id)) return { isNew: false, signatures: before }
    if (before.length >= fieldLimits.signatures)
      throw new CatalogError(
        'too_many_signatures',
        `${slug}@${version} has ${fieldLimits.signatures} signatures, which is the most`,
        'Publish a new version, and sign it with the new key.',
      )
    const { key_id, public_key, signature: bytes } = signature
    const signatures = [...before, { key_id, public_key, signature: bytes }]
    await transaction
      .updateTable('versions')
      .set({ signatures: JSON.stringify(signatures) })
      .where('sequence', '=', row.sequence)
      .execute()
    await updatePackRow(transaction, pack, advance())
    await recordAudit(transaction, {
      at: database.now(),
      action: 'version.signed',
      actor,
      target: `${pack.slug}@${version}`,
      details: { key_id },
    })
    return { isNew: true, signatures }
  })
}
