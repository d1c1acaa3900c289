import type { Queries } from '../database/schema.ts'
import type { PackHead, PackVersion, VersionLine } from '../types.ts'
import { findPack, matchIdOrSlug } from './find-pack.ts'
import {
  readSummary,
  readVersion,
  parseProvenance,
  danglingReferenceError,
  formatVersion,
  parseVersionNumber,
} from './version-row.ts'

/** Implements `PackStore.latest`. */
export async function readLatest(queries: Queries, idOrSlug: string): Promise<PackVersion | undefined> {
  const name = matchIdOrSlug(idOrSlug)
  if (name === undefined) return undefined
  const row = await queries
    .selectFrom('packs')
    .innerJoin('versions', 'versions.sequence', 'packs.latest')
    .select(['versions.sequence', 'versions.summary', 'versions.published_at', 'versions.yanked_reason'])
    .select(['versions.document', 'packs.updated_at'])
    .where(name.column, '=', name.value)
    .executeTakeFirst()
  if (row !== undefined) return readVersion(row, row)
  const pack = await findPack(queries, idOrSlug)
  if (pack === undefined || pack.latest === null) return undefined
  // A commit or an undone yank may have happened between the two queries.
  const found = await queries
    .selectFrom('versions')
    .select('sequence')
    .where('sequence', '=', pack.latest)
    .executeTakeFirst()
  if (found === undefined) throw danglingReferenceError('latest', pack)
  return readLatest(queries, idOrSlug)
}

/** Implements `PackStore.version`. */
export async function readOneVersion(
  queries: Queries,
  idOrSlug: string,
  version: string,
): Promise<PackVersion | undefined> {
  const name = matchIdOrSlug(idOrSlug)
  const number = parseVersionNumber(version)
  if (name === undefined || number === undefined) return undefined
  const row = await queries
    .selectFrom('packs')
    .innerJoin('versions', 'versions.pack', 'packs.number')
    .select(['versions.sequence', 'versions.summary', 'versions.published_at', 'versions.yanked_reason'])
    .select(['versions.document', 'packs.updated_at'])
    .where(name.column, '=', name.value)
    .where('versions.major', '=', number.major)
    .where('versions.minor', '=', number.minor)
    .where('versions.patch', '=', number.patch)
    .executeTakeFirst()
  return row && readVersion(row, row)
}

/** Implements `PackStore.head`. */
export async function readHead(queries: Queries, slug: string): Promise<PackHead | undefined> {
  const pack = await findPack(queries, slug)
  if (pack === undefined) return undefined
  const versions = queries.selectFrom('versions').where('pack', '=', pack.number)
  const head = await versions
    .select(['sequence', 'major', 'minor', 'patch', 'source_digest', 'summary', 'published_at'])
    .select(['provenance', 'yanked_reason'])
    .where('sequence', '=', pack.head)
    .executeTakeFirstOrThrow(() => danglingReferenceError('head', pack))
  const highest = await versions
    .select(['major', 'minor', 'patch'])
    .orderBy('major', 'desc')
    .orderBy('minor', 'desc')
    .orderBy('patch', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  return {
    id: pack.id,
    slug: pack.slug,
    version: formatVersion(head),
    highest: formatVersion(highest),
    sourceDigest: head.source_digest,
    packDigest: readSummary(head, pack).pack_digest,
    provenance: parseProvenance(head),
    yanked: head.yanked_reason !== null,
  }
}

/** Implements `PackStore.versions`. */
export async function readHistory(queries: Queries, idOrSlug: string): Promise<readonly VersionLine[]> {
  const pack = await findPack(queries, idOrSlug)
  if (pack === undefined) return []
  const rows = await queries
    .selectFrom('versions')
    .select(['sequence', 'summary', 'published_at', 'yanked_reason'])
    .where('pack', '=', pack.number)
    .orderBy('major', 'desc')
    .orderBy('minor', 'desc')
    .orderBy('patch', 'desc')
    .execute()
  return rows.map((row) => {
    const { version, published_at, token_count, sha256 } = readSummary(row, pack)
    const { yanked_reason } = row
    return { version, published_at, token_count, sha256, yanked: yanked_reason !== null, yanked_reason }
  })
}
