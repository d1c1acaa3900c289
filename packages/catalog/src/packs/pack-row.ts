import { sql, type RawBuilder } from 'kysely'
import type { Pack } from '@packs/codec/pack'
import {
  cleanText,
  deriveTitleKey,
  type PackTable,
  type Queries,
  type VersionTable,
  type Position,
} from '../database/database.ts'
import type { StoredSummary } from '../types.ts'
import { readSummary, parseVersionNumber, shownColumns } from './version-row.ts'

export const highestFirst: RawBuilder<unknown> = sql`major desc, minor desc, patch desc`

/** Columns that lists filter and sort by, derived from a version's summary. */
type ListedColumns = Pick<
  PackTable,
  'title_key' | 'domain' | 'domain_slug' | 'difficulty' | 'tokens' | 'net_savings'
>

/** The title key serves order only; the title shown comes from the summary. */
export function deriveListedColumns(summary: StoredSummary): ListedColumns {
  return {
    title_key: deriveTitleKey(summary.title),
    domain: cleanText(summary.domain),
    domain_slug: summary.domain_slug,
    difficulty: summary.difficulty,
    tokens: summary.token_count + summary.rosetta_tokens,
    net_savings: Math.round(summary.net_savings_pct * 100),
  }
}

/** Creates the row of a new pack, whose first version is both its newest and its highest. */
export function createPackRow(pack: Pack, { sequence, updated_at }: Position): PackTable {
  return {
    number: sequence,
    id: pack.id,
    slug: pack.slug,
    sequence,
    updated_at,
    head: sequence,
    latest: sequence,
    ...deriveListedColumns(pack),
  }
}

/** Points a pack to its highest version that is not yanked, and returns its sequence number. */
export async function updatePackRow(
  transaction: Queries,
  before: Pick<PackTable, 'number' | 'slug' | 'head'>,
  position: Position,
): Promise<number | null> {
  const latest = await transaction
    .selectFrom('versions')
    .select(shownColumns)
    .where('pack', '=', before.number)
    .where('yanked_reason', 'is', null)
    .orderBy(highestFirst)
    .limit(1)
    .executeTakeFirst()
  const columns = latest
    ? deriveListedColumns(readSummary({ ...latest, slug: before.slug }, position))
    : { title_key: '', domain: '', domain_slug: '', difficulty: '', tokens: 0, net_savings: 0 }
  await transaction
    .updateTable('packs')
    .set({ ...position, ...columns, head: before.head, latest: latest?.sequence ?? null })
    .where('number', '=', before.number)
    .execute()
  return latest?.sequence ?? null
}

const NAME = /^[a-z0-9_-]{1,100}$/

/** Chooses the column of a name: ids begin with `pk_`, slugs cannot. */
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
    .select(['number', 'id', 'slug', 'sequence', 'updated_at', 'head', 'latest'])
    .select(['title_key', 'domain', 'domain_slug', 'difficulty', 'tokens', 'net_savings'])
    .where(name.column, '=', name.value)
    .executeTakeFirst()
}

export async function findVersion(
  queries: Queries,
  pack: Pick<PackTable, 'number'>,
  version: string,
): Promise<Omit<VersionTable, 'document'> | undefined> {
  const number = parseVersionNumber(version)
  if (number === undefined) return undefined
  return queries
    .selectFrom('versions')
    .select([...shownColumns, 'pack', 'source_digest', 'parent', 'provenance'])
    .select(['domain_slug', 'difficulty', 'yanked_reason', 'source', 'purge', 'purged_at', 'purged_by'])
    .where('pack', '=', pack.number)
    .where('major', '=', number.major)
    .where('minor', '=', number.minor)
    .where('patch', '=', number.patch)
    .executeTakeFirst()
}
