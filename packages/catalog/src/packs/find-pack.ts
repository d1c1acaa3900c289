import type { PackTable, Queries, VersionTable } from '../database/schema.ts'
import { parseVersionNumber } from './version-row.ts'

const NAME = /^[a-z0-9_-]{1,100}$/

/** Returns the column to search for a name: ids begin with `pk_`, slugs cannot. `undefined` if it is neither. */
export function matchIdOrSlug(
  idOrSlug: string,
): { readonly column: 'packs.id' | 'packs.slug'; readonly value: string } | undefined {
  if (!NAME.test(idOrSlug)) return undefined
  return { column: idOrSlug.startsWith('pk_') ? 'packs.id' : 'packs.slug', value: idOrSlug }
}

/** Reads the row of a pack, visible or not, by id or slug. */
export async function findPack(queries: Queries, idOrSlug: string): Promise<PackTable | undefined> {
  const name = matchIdOrSlug(idOrSlug)
  if (name === undefined) return undefined
  return queries
    .selectFrom('packs')
    .select(['number', 'id', 'slug', 'sequence', 'updated_at', 'head', 'latest', 'indexed'])
    .select(['title_key', 'domain', 'domain_slug', 'difficulty', 'tokens', 'net_savings'])
    .where(name.column, '=', name.value)
    .executeTakeFirst()
}

/** Reads the row of a version without its document. */
export async function findVersion(
  queries: Queries,
  pack: Pick<PackTable, 'number'>,
  version: string,
): Promise<Omit<VersionTable, 'document'> | undefined> {
  const number = parseVersionNumber(version)
  if (number === undefined) return undefined
  return queries
    .selectFrom('versions')
    .select(['sequence', 'pack', 'major', 'minor', 'patch', 'published_at', 'source_digest', 'parent'])
    .select(['provenance', 'summary', 'domain_slug', 'difficulty', 'yanked_reason', 'signatures'])
    .where('pack', '=', pack.number)
    .where('major', '=', number.major)
    .where('minor', '=', number.minor)
    .where('patch', '=', number.patch)
    .executeTakeFirst()
}
