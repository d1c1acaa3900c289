import { serializePack } from '@packs/codec/pack'
import { CatalogError } from '../catalog-error.ts'
import type { Database, Dialect } from '../database/dialect.ts'
import type { PackTable, Queries, VersionTable } from '../database/schema.ts'
import type { CommitResult, NewVersion } from '../types.ts'
import { changeCatalog, type Position } from './change-catalog.ts'
import { findPack, findVersion } from './find-pack.ts'
import { serializeSummary } from './pack-rows.ts'
import { deriveListedColumns, refreshPack } from './refresh-pack.ts'
import { formatVersion, parseVersion } from './version-number.ts'

/** See `PackStore.commit`. */
export async function commitVersions(
  database: Database,
  versions: readonly NewVersion[],
): Promise<readonly CommitResult[]> {
  return changeCatalog(database, async (transaction, advance) => {
    const results: CommitResult[] = []
    for (const version of versions) {
      results.push(await commitVersion(transaction, database.dialect, version, advance))
    }
    return results
  })
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
  if (head !== version.parent) throw refuseParent(slug, version, head)
  if (existing !== undefined) throw refuseConflict(slug, name)
  const position = advance()
  const number = pack?.number ?? position.sequence
  if (pack === undefined) await insertPack(transaction, dialect, version, position)
  await transaction
    .insertInto('versions')
    .values(toRow(version, number, position))
    .execute()
  if (pack !== undefined) {
    await refreshPack(transaction, dialect, { ...pack, head: position.sequence }, position)
  }
  return { status: 'published', id, slug, version: name, sequence: position.sequence }
}

async function readHead(transaction: Queries, { head }: PackTable): Promise<string> {
  const row = await transaction
    .selectFrom('versions')
    .select(['major', 'minor', 'patch'])
    .where('sequence', '=', head)
    .executeTakeFirstOrThrow()
  return formatVersion(row)
}

/** A first version is the newest, the highest and the only one. */
async function insertPack(
  transaction: Queries,
  dialect: Dialect,
  { pack }: NewVersion,
  { sequence, updated_at }: Position,
): Promise<void> {
  const columns = deriveListedColumns(pack, dialect)
  const places = { number: sequence, sequence, head: sequence, latest: sequence }
  await transaction
    .insertInto('packs')
    .values({ id: pack.id, slug: pack.slug, updated_at, ...places, ...columns })
    .execute()
  await dialect.indexTitle(transaction, sequence, columns.title_key)
}

function toRow(version: NewVersion, pack: number, { sequence, updated_at }: Position): VersionTable {
  const number = parseVersion(version.pack.version)
  if (number === undefined) throw new TypeError(`No version: ${version.pack.version.slice(0, 80)}`)
  return {
    sequence,
    pack,
    ...number,
    published_at: updated_at,
    source_digest: version.sourceDigest,
    parent: version.parent,
    provenance: JSON.stringify(version.provenance),
    summary: serializeSummary(version.pack),
    domain_slug: version.pack.domain_slug,
    difficulty: version.pack.difficulty,
    yanked_reason: null,
    document: Buffer.from(serializePack(version.pack)),
  }
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
