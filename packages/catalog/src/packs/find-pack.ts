import { CatalogError } from '../catalog-error.ts'
import type { PackTable, Queries, VersionTable } from '../database/schema.ts'
import { parseVersion } from './version-number.ts'

const NAME = /^[a-z0-9_-]{1,100}$/

/** The column that a name stands in: ids begin with `pk_`, which slugs cannot. `undefined` for what is neither. */
export function matchName(
  idOrSlug: string,
): { readonly column: 'packs.id' | 'packs.slug'; readonly value: string } | undefined {
  if (!NAME.test(idOrSlug)) return undefined
  return { column: idOrSlug.startsWith('pk_') ? 'packs.id' : 'packs.slug', value: idOrSlug }
}

/** The row of a pack, gone or not, by id or slug. */
export async function findPack(queries: Queries, idOrSlug: string): Promise<PackTable | undefined> {
  const name = matchName(idOrSlug)
  if (name === undefined) return undefined
  return queries
    .selectFrom('packs')
    .select(['number', 'id', 'slug', 'sequence', 'updated_at', 'head', 'latest'])
    .select(['title_key', 'domain', 'domain_slug', 'difficulty', 'tokens', 'net_savings'])
    .where(name.column, '=', name.value)
    .executeTakeFirst()
}

/** The row of a version without its document. */
export async function findVersion(
  queries: Queries,
  pack: Pick<PackTable, 'number'>,
  version: string,
): Promise<Omit<VersionTable, 'document'> | undefined> {
  const number = parseVersion(version)
  if (number === undefined) return undefined
  return queries
    .selectFrom('versions')
    .select(['sequence', 'pack', 'major', 'minor', 'patch', 'published_at', 'source_digest', 'parent'])
    .select(['provenance', 'summary', 'domain_slug', 'difficulty', 'yanked_reason'])
    .where('pack', '=', pack.number)
    .where('major', '=', number.major)
    .where('minor', '=', number.minor)
    .where('patch', '=', number.patch)
    .executeTakeFirst()
}

/** @throws CatalogError `unknown_pack` or `unknown_version` */
export async function requireVersion(
  queries: Queries,
  slug: string,
  version: string,
): Promise<{ readonly pack: PackTable; readonly row: Omit<VersionTable, 'document'> }> {
  const pack = await findPack(queries, slug)
  if (pack === undefined) {
    const hint = 'Check its slug; slugs are lower-case words with hyphens.'
    throw new CatalogError('unknown_pack', `There is no pack ${slug.slice(0, 80)}`, hint)
  }
  const row = await findVersion(queries, pack, version)
  if (row === undefined) {
    const hint = 'Look at the versions that the pack has.'
    throw new CatalogError('unknown_version', `${pack.slug} has no version ${version.slice(0, 80)}`, hint)
  }
  return { pack, row }
}
