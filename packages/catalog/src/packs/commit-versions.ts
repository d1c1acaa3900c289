import { CatalogError } from '../catalog-error.ts'
import type { Database, Dialect } from '../database/dialect.ts'
import { completeJobs } from '../jobs/complete-jobs.ts'
import type { PackTable, Queries } from '../database/schema.ts'
import { keepSources } from './keep-sources.ts'
import type { CommitResult, NewVersion } from '../types.ts'
import { changeCatalog, type Position } from './change-catalog.ts'
import { createVersionRow } from './create-version-row.ts'
import { findPack, findVersion } from './find-pack.ts'
import { insertFirstVersions, type FirstVersion } from './insert-first-versions.ts'
import { refreshPack } from './refresh-pack.ts'
import { refuseDangling } from './refuse-damage.ts'
import { formatVersion } from './version-number.ts'

const MOST_NAMES = 1000

/** See `PackStore.commit`. */
export async function commitVersions(
  database: Database,
  versions: readonly NewVersion[],
): Promise<readonly CommitResult[]> {
  return changeCatalog(database, async (transaction, advance) => {
    const { dialect } = database
    const known = await findKnownSlugs(transaction, versions)
    const firsts: FirstVersion[] = []
    const results: CommitResult[] = []
    for (const version of versions) {
      const isFirst = version.parent === null && !known.has(version.pack.slug)
      known.add(version.pack.slug)
      if (isFirst) {
        const position = advance()
        firsts.push({ version, position })
        results.push(describePublished(version, position))
      } else {
        await insertFirstVersions(transaction, dialect, firsts.splice(0))
        results.push(await commitVersion(transaction, dialect, version, advance))
      }
    }
    await insertFirstVersions(transaction, dialect, firsts)
    await keepSources(transaction, versions)
    await completeJobs(transaction, versions, database.now())
    return results
  })
}

async function findKnownSlugs(transaction: Queries, versions: readonly NewVersion[]): Promise<Set<string>> {
  const known = new Set<string>()
  for (let start = 0; start < versions.length; start += MOST_NAMES) {
    const names = versions.slice(start, start + MOST_NAMES).map(({ pack }) => pack.slug)
    const rows = await transaction.selectFrom('packs').select('slug').where('slug', 'in', names).execute()
    for (const { slug } of rows) known.add(slug)
  }
  return known
}

/**
 * The same source first, as a commit that is repeated has the parent of its first time; then the parent, so that who
 * decided against an older one decides again instead of being told of a conflict.
 */
async function commitVersion(
  transaction: Queries,
  dialect: Dialect,
  version: NewVersion,
  advance: () => Position,
): Promise<CommitResult> {
  const { id, slug, version: name } = version.pack
  const pack = await findPack(transaction, slug)
  const existing = pack && (await findVersion(transaction, pack, name))
  if (existing?.source_digest === version.sourceDigest) {
    return { status: 'unchanged', id, slug, version: name, sequence: existing.sequence }
  }
  const head = pack === undefined ? null : await readHead(transaction, pack)
  if (pack === undefined || head !== version.parent) throw refuseParent(slug, version, head)
  if (existing !== undefined) throw refuseConflict(slug, name)
  const position = advance()
  await transaction
    .insertInto('versions')
    .values(createVersionRow(version, pack.number, position))
    .execute()
  await refreshPack(transaction, dialect, { ...pack, head: position.sequence }, position)
  return describePublished(version, position)
}

function describePublished({ pack }: NewVersion, { sequence }: Position): CommitResult {
  return { status: 'published', id: pack.id, slug: pack.slug, version: pack.version, sequence }
}

async function readHead(transaction: Queries, pack: PackTable): Promise<string> {
  const row = await transaction
    .selectFrom('versions')
    .select(['major', 'minor', 'patch'])
    .where('sequence', '=', pack.head)
    .executeTakeFirstOrThrow(() => refuseDangling('head', pack))
  return formatVersion(row)
}

function refuseParent(slug: string, { pack, parent }: NewVersion, head: string | null): CatalogError {
  const name = (version: string | null): string => version ?? 'no version'
  return new CatalogError(
    'parent_moved',
    `${slug}@${pack.version} was decided against ${name(parent)}, but the newest is ${name(head)}`,
    'Decide the version again, against the newest one.',
  )
}

function refuseConflict(slug: string, version: string): CatalogError {
  return new CatalogError(
    'version_conflict',
    `${slug}@${version} was published before, from another source`,
    'A version is written once: name a higher one, or none to have it decided.',
  )
}
