import { checkMinified } from '@packs/codec/pack'
import { type NewAuditEntry, recordAudit } from '../audit/create-audit-store.ts'
import { CatalogError } from '../catalog-error.ts'
import {
  type Database,
  type PackTable,
  type Queries,
  changeCatalog,
  type Position,
  splitParts,
} from '../database/database.ts'
import { completeJobs } from '../jobs/create-job-store.ts'
import { describeVersions } from '../search-index/describe-version.ts'
import { indexCommitted, type CommittedVersion } from '../search-index/write-packs.ts'
import { requireUnpurged, retainSources } from '../sources/create-source-store.ts'
import type { CommitResult, NewVersion } from '../types.ts'
import { findPack, findVersion, createPackRow, updatePackRow } from './pack-row.ts'
import { createVersionRow, formatVersion, danglingReferenceError } from './version-row.ts'

const SLUGS_PER_QUERY = 1000

interface FirstVersion {
  readonly version: NewVersion
  readonly lead: string
  readonly position: Position
}

/**
 * Commits all versions in one transaction, or none, with the jobs that built them and what searches
 * find of them. Each is compare-and-set on its parent and takes the next sequence number. Every
 * pack is minified again before, so that no version shows people another text than models.
 * @throws CatalogError `text_mismatch`, `version_conflict` or `parent_moved`, with the version;
 *   `purged_source`; `schema_too_old` for an index of another analysis
 * @throws CodecError if a pack cannot be decoded
 */
export async function commitVersions(
  database: Database,
  versions: readonly NewVersion[],
): Promise<readonly CommitResult[]> {
  for (const { pack } of versions) {
    const { ok, skipped, message, hint } = await checkMinified(pack)
    if (ok && !skipped) continue
    const what = `${pack.slug}@${pack.version} was not stored`
    throw new CatalogError('text_mismatch', `${what}: ${message}`, hint ?? 'Publish its source instead.')
  }
  const described = await describeVersions(versions.map(({ pack }) => pack))
  return changeCatalog(database, async (transaction, advance) => {
    // A running job may have read its source before it was purged.
    await requireUnpurged(
      transaction,
      versions.map(({ provenance }) => provenance.source_sha256),
    )
    const known = await findKnownSlugs(transaction, versions)
    const firsts: FirstVersion[] = []
    const results: CommitResult[] = []
    for (const [index, version] of versions.entries()) {
      const { lead } = described[index]!
      const isFirst = version.parent === null && !known.has(version.pack.slug)
      known.add(version.pack.slug)
      if (isFirst) {
        const position = advance()
        firsts.push({ version, lead, position })
        results.push(createPublishedResult(version, position))
      } else {
        await insertFirstVersions(transaction, firsts.splice(0))
        results.push(await commitVersion(transaction, version, lead, advance))
      }
    }
    await insertFirstVersions(transaction, firsts)
    const committed = results.flatMap(({ status, sequence }, index): CommittedVersion[] =>
      status === 'published' ? [{ sequence, described: described[index]! }] : [],
    )
    await indexCommitted(transaction, database.dialect, committed)
    await retainSources(transaction, versions)
    await completeJobs(transaction, versions, database.now())
    await recordAudit(transaction, ...listPublished(versions, results, database.now()))
    return results
  })
}

/** A version that already existed has no entry. */
function listPublished(
  versions: readonly NewVersion[],
  results: readonly CommitResult[],
  at: Date,
): NewAuditEntry[] {
  return versions
    .filter((_, index) => results[index]?.status === 'published')
    .map(({ pack, provenance: { job }, actor }) => ({
      at,
      action: 'version.published',
      actor,
      target: `${pack.slug}@${pack.version}`,
      details: job === null ? {} : { job },
    }))
}

async function findKnownSlugs(transaction: Queries, versions: readonly NewVersion[]): Promise<Set<string>> {
  const known = new Set<string>()
  const slugs = versions.map(({ pack }) => pack.slug)
  for (const names of splitParts(slugs, SLUGS_PER_QUERY)) {
    const rows = await transaction.selectFrom('packs').select('slug').where('slug', 'in', names).execute()
    for (const { slug } of rows) known.add(slug)
  }
  return known
}

/** Inserts many rows per statement, so that a large release holds the lock briefly. */
async function insertFirstVersions(transaction: Queries, firsts: readonly FirstVersion[]): Promise<void> {
  for (const part of splitParts(firsts)) {
    const packs = part.map((first) => createPackRow(first.version.pack, first.position))
    const versions = part.map(({ version, lead, position }) =>
      createVersionRow(version, position.sequence, position, lead),
    )
    await transaction.insertInto('packs').values(packs).execute()
    await transaction.insertInto('versions').values(versions).execute()
  }
}

/**
 * The source comes first, because a repeated commit still names its original parent. The parent
 * comes next: a version from an older one fails with `parent_moved`, which can be retried.
 */
async function commitVersion(
  transaction: Queries,
  version: NewVersion,
  lead: string,
  advance: () => Position,
): Promise<CommitResult> {
  const { id, slug, version: name } = version.pack
  const pack = await findPack(transaction, slug)
  const existing = pack && (await findVersion(transaction, pack, name))
  if (existing?.source_digest === version.sourceDigest) {
    return { status: 'unchanged', id, slug, version: name, sequence: existing.sequence }
  }
  const head = pack === undefined ? null : await readHeadVersion(transaction, pack)
  if (pack === undefined || head !== version.parent)
    throw new CatalogError(
      'parent_moved',
      `${slug}@${name} is based on ${version.parent ?? 'no version'}, but the newest version is ${head ?? 'no version'}`,
      'Choose the version number again, based on the newest version.',
    )
  if (existing !== undefined) throw versionConflictError(slug, name, existing.purge !== null)
  const position = advance()
  await transaction
    .insertInto('versions')
    .values(createVersionRow(version, pack.number, position, lead))
    .execute()
  await updatePackRow(transaction, { ...pack, head: position.sequence }, position)
  return createPublishedResult(version, position)
}

function createPublishedResult({ pack }: NewVersion, { sequence }: Position): CommitResult {
  return { status: 'published', id: pack.id, slug: pack.slug, version: pack.version, sequence }
}

async function readHeadVersion(transaction: Queries, pack: PackTable): Promise<string> {
  const row = await transaction
    .selectFrom('versions')
    .select(['major', 'minor', 'patch'])
    .where('sequence', '=', pack.head)
    .executeTakeFirstOrThrow(() => danglingReferenceError('head', pack))
  return formatVersion(row)
}

export function versionConflictError(slug: string, version: string, isPurged: boolean): CatalogError {
  return new CatalogError(
    'version_conflict',
    `${slug}@${version} ${isPurged ? 'was purged, and its number stays taken' : 'was published before, from another source'}`,
    'A version is never overwritten: name a higher one, or none to have the number chosen.',
  )
}
