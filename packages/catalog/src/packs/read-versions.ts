import { sql } from 'kysely'
import type { Queries } from '../database/database.ts'
import type { PackHead, PackVersion, Purge, VersionLine, VersionRecord } from '../types.ts'
import { findPack, matchIdOrSlug, highestFirst } from './pack-row.ts'
import {
  parseProvenance,
  danglingReferenceError,
  formatVersion,
  parseVersionNumber,
  readRecord,
  readSummary,
  separateDamaged,
  shownColumns,
  summaryColumns,
  damagedError,
  openDocument,
} from './version-row.ts'
import { CodecError } from '@packs/codec'
import { CatalogError } from '../catalog-error.ts'
import {
  describeVersion,
  outlinePack,
  type DescribedVersion,
  type Outline,
} from '../search-index/describe-version.ts'

/** Returns the highest version that is not yanked, or the given version, without its document. */
export async function findRecord(
  queries: Queries,
  idOrSlug: string,
  version?: string,
): Promise<VersionRecord | undefined> {
  const select =
    version === undefined ? selectLatest(queries, idOrSlug) : selectNumber(queries, idOrSlug, version)
  const row = await select?.executeTakeFirst()
  if (row !== undefined) return readRecord(row, row)
  return version === undefined && (await isLatestNew(queries, idOrSlug))
    ? findRecord(queries, idOrSlug)
    : undefined
}

/** Returns the highest version that is not yanked, by id (`pk_…`) or slug. */
export async function readLatest(queries: Queries, idOrSlug: string): Promise<PackVersion | undefined> {
  const row = await selectLatest(queries, idOrSlug)?.select('versions.document').executeTakeFirst()
  if (row !== undefined) return { ...readRecord(row, row), document: row.document }
  return (await isLatestNew(queries, idOrSlug)) ? readLatest(queries, idOrSlug) : undefined
}

/** Returns one version, yanked or not; `undefined` for one that was purged. */
export async function readOneVersion(
  queries: Queries,
  idOrSlug: string,
  version: string,
): Promise<PackVersion | undefined> {
  const row = await selectNumber(queries, idOrSlug, version)?.select('versions.document').executeTakeFirst()
  return row && { ...readRecord(row, row), document: row.document }
}

export async function readBySequence(queries: Queries, sequence: number): Promise<PackVersion | undefined> {
  const row = await queries
    .selectFrom('packs')
    .innerJoin('versions', 'versions.pack', 'packs.number')
    .select(recordColumns)
    .select('versions.document')
    .where('versions.sequence', '=', sequence)
    .where('versions.purge', 'is', null)
    .executeTakeFirst()
  return row && { ...readRecord(row, row), document: row.document }
}

const recordColumns = [
  ...summaryColumns,
  'versions.yanked_reason',
  'packs.updated_at',
  // Neither database reads the document for this.
  sql<number>`octet_length(versions.document)`.as('bytes'),
] as const

function selectLatest(queries: Queries, idOrSlug: string) {
  const name = matchIdOrSlug(idOrSlug)
  return (
    name &&
    queries
      .selectFrom('packs')
      .innerJoin('versions', 'versions.sequence', 'packs.latest')
      .select(recordColumns)
      .where(name.column, '=', name.value)
  )
}

function selectNumber(queries: Queries, idOrSlug: string, version: string) {
  const name = matchIdOrSlug(idOrSlug)
  const number = parseVersionNumber(version)
  if (name === undefined || number === undefined) return undefined
  return queries
    .selectFrom('packs')
    .innerJoin('versions', 'versions.pack', 'packs.number')
    .select(recordColumns)
    .where(name.column, '=', name.value)
    .where('versions.major', '=', number.major)
    .where('versions.minor', '=', number.minor)
    .where('versions.patch', '=', number.patch)
    .where('versions.purge', 'is', null)
}

/**
 * Returns the version of a history, if it was purged; the newest one if nothing of the pack is
 * left.
 */
export function findPurged(history: readonly VersionLine[], version?: string): VersionLine | undefined {
  const isGone = history.every(({ purged_at }) => purged_at !== null)
  const named = history.find((line) => line.version === version && line.purged_at !== null)
  return named ?? (isGone ? history[0] : undefined)
}

/** @param asked the version that was asked for; of another one, all of the pack was purged */
export function purgedVersionError(
  line: Pick<VersionLine, 'slug' | 'version' | 'purged_at' | 'yanked_reason'>,
  asked: string | undefined,
): CatalogError {
  const { slug, version, purged_at, yanked_reason } = line
  const name = asked === version ? `${slug}@${version}` : `The pack ${slug}`
  const message = `${name} was purged on ${purged_at?.slice(0, 10)}: ${yanked_reason}`
  const hint = 'Nothing of its text is left. Use another version or pack, and no copy of it.'
  return new CatalogError('purged_version', message, hint)
}

/** Lists purged versions after a purge with this number, in the order of their purges. */
export async function listPurges(
  queries: Queries,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly Purge[]> {
  const rows = await queries
    .selectFrom('versions')
    .innerJoin('packs', 'packs.number', 'versions.pack')
    .select(['packs.slug', 'major', 'minor', 'patch', 'purge', 'purged_at', 'yanked_reason'])
    .where('versions.purge', '>', after)
    .orderBy('versions.purge')
    .limit(limit)
    .execute()
  return rows.map(({ slug, purge, purged_at, yanked_reason, ...number }) => ({
    slug,
    version: formatVersion(number),
    purged_at: purged_at!,
    reason: yanked_reason!,
    sequence: purge!,
  }))
}

/**
 * Whether a pack has a latest version now, because a change came between two queries.
 * @throws CatalogError `catalog_damaged` if the version does not exist
 */
async function isLatestNew(queries: Queries, idOrSlug: string): Promise<boolean> {
  const pack = await findPack(queries, idOrSlug)
  if (pack === undefined || pack.latest === null) return false
  const found = await queries
    .selectFrom('versions')
    .select('sequence')
    .where('sequence', '=', pack.latest)
    .executeTakeFirst()
  if (found === undefined) throw danglingReferenceError('latest', pack)
  return true
}

/**
 * Returns the newest committed version, which the next one is compared with. If all are purged, it
 * is one of them, with empty digests.
 */
export async function readHead(queries: Queries, slug: string): Promise<PackHead | undefined> {
  const pack = await findPack(queries, slug)
  if (pack === undefined) return undefined
  const versions = queries.selectFrom('versions').where('pack', '=', pack.number)
  const head = await versions
    .select([...shownColumns, 'source_digest', 'provenance', 'yanked_reason', 'purge'])
    .where('sequence', '=', pack.head)
    .executeTakeFirstOrThrow(() => danglingReferenceError('head', pack))
  const highest = await versions
    .select(['major', 'minor', 'patch'])
    .orderBy(highestFirst)
    .limit(1)
    .executeTakeFirstOrThrow()
  return {
    id: pack.id,
    slug: pack.slug,
    version: formatVersion(head),
    highest: formatVersion(highest),
    sourceDigest: head.source_digest,
    packDigest: head.purge === null ? readSummary({ ...head, slug: pack.slug }, pack).pack_digest : '',
    provenance: parseProvenance(head),
    yanked: head.yanked_reason !== null,
  }
}

/** Returns all versions, highest first; none for an unknown pack. */
export async function readHistory(queries: Queries, idOrSlug: string): Promise<readonly VersionLine[]> {
  const pack = await findPack(queries, idOrSlug)
  if (pack === undefined) return []
  const rows = await queries
    .selectFrom('versions')
    .innerJoin('packs', 'packs.number', 'versions.pack')
    .select([...summaryColumns, 'versions.yanked_reason', 'versions.purged_at'])
    .where('versions.pack', '=', pack.number)
    .orderBy(highestFirst)
    .execute()
  return rows.map((row) => {
    const { published_at, yanked_reason, purged_at } = row
    const [summary] = separateDamaged([row], () => readSummary(row, pack)).read
    return {
      slug: pack.slug,
      version: formatVersion(row),
      published_at,
      token_count: summary?.token_count ?? null,
      rosetta_tokens: summary?.rosetta_tokens ?? null,
      sha256: summary?.sha256 ?? null,
      signers: summary?.signatures.map(({ key_id }) => key_id) ?? [],
      yanked: yanked_reason !== null,
      yanked_reason,
      purged_at,
    }
  })
}

/** @throws CatalogError `catalog_damaged` */
export function describeStored(queries: Queries, sequence: number): Promise<DescribedVersion | undefined> {
  return openStored(queries, sequence, describeVersion)
}

/** @throws CatalogError `catalog_damaged` */
export function sectionsStored(
  queries: Queries,
  sequence: number,
): Promise<(Outline & { readonly body: string }) | undefined> {
  return openStored(queries, sequence, outlinePack)
}

async function openStored<T>(
  queries: Queries,
  sequence: number,
  read: (pack: ReturnType<typeof openDocument>) => Promise<T>,
): Promise<T | undefined> {
  const version = await readBySequence(queries, sequence)
  if (version === undefined) return undefined
  const pack = openDocument(version)
  try {
    return await read(pack)
  } catch (error) {
    throw error instanceof CodecError ? undecodableError(version, error) : error
  }
}

export function undecodableError({ slug, version, sequence }: VersionRecord, cause: unknown): CatalogError {
  const what = `versions.document cannot be decoded in the row of sequence ${sequence}`
  return damagedError(what, { cause, damaged: { slug, version } })
}

/** Describes a stored version for the index; `undefined` if there is none, or it is damaged. */
export async function tryToDescribeStored(
  queries: Queries,
  sequence: number,
): Promise<DescribedVersion | undefined> {
  try {
    return await describeStored(queries, sequence)
  } catch (error) {
    if (error instanceof CatalogError && error.code === 'catalog_damaged') return undefined
    throw error
  }
}
