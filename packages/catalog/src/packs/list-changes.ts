import { sql, type Expression, type ExpressionBuilder, type SqlBool } from 'kysely'
import type { Database } from '../database/dialect.ts'
import type { PackTable, Queries, Schema } from '../database/schema.ts'
import type { DamagedVersion } from '../catalog-error.ts'
import type { Difficulty } from '@packs/codec/pack'
import type { VersionRecord } from '../types.ts'
import { readSequence } from '../database/change-catalog.ts'
import { danglingReferenceError, readRecord, separateDamaged, summaryColumns } from './version-row.ts'

/** Selects the packs that changed after a sequence number. */
export interface ChangeQuery {
  /** Only changes after this sequence number; 0 for all. */
  readonly after: number
  /** Only changes at or after this time, RFC 3339. */
  readonly since?: string | undefined
  readonly domain?: string | undefined
  readonly difficulty?: Difficulty | undefined
  /** Includes packs without visible versions (all yanked) as removals. */
  readonly removals: boolean
  readonly limit: number
  /** A page ends before its documents exceed this many bytes, but holds at least one change. */
  readonly maxBytes: number
}

/** The current state of a changed pack, or its removal. */
export type Change =
  | { readonly sequence: number; readonly removed: false; readonly version: VersionRecord }
  | {
      readonly sequence: number
      readonly removed: true
      readonly id: string
      readonly slug: string
      readonly updated_at: string
    }

/** A page of changes, and the sequence number after which the next page starts. */
export interface ChangePage {
  readonly changes: readonly Change[]
  /** Changed packs whose rows cannot be read, and which `changes` therefore lacks. */
  readonly damaged: readonly DamagedVersion[]
  /** Sequence number of the last change read; pass it as `after` for the next page. */
  readonly last: number
  readonly more: boolean
}

type ChangedPack = Pick<
  PackTable,
  'sequence' | 'updated_at' | 'id' | 'slug' | 'latest' | 'domain_slug' | 'difficulty'
> & { readonly bytes: number | null }

/**
 * Returns the packs that changed after a sequence number, oldest change first. The page is cut by
 * document sizes. Callers read the documents, which never change, later.
 *
 * A pack that a version moved out of the domain of the filter is reported as a removal.
 */
export async function listChanges({ reads }: Database, query: ChangeQuery): Promise<ChangePage> {
  const sequence = await readSequence(reads)
  const packs = await reads
    .selectFrom('packs')
    .leftJoin('versions', 'versions.sequence', 'packs.latest')
    .select(['packs.sequence', 'packs.updated_at', 'packs.id', 'packs.slug', 'packs.latest'])
    .select(['packs.domain_slug', 'packs.difficulty'])
    .select(sql<number | null>`octet_length(versions.document)`.as('bytes'))
    .where((builder) => matchChanges(builder, query))
    .orderBy('packs.sequence')
    .limit(query.limit + 1)
    .execute()
  const page = cutPage(packs, query)
  const more = page.length < packs.length
  const last = page.at(-1)?.sequence ?? query.after
  return {
    ...(await readChanges(reads, page, query)),
    last: more ? last : Math.max(last, sequence),
    more,
  }
}

function matchChanges(builder: ExpressionBuilder<Schema, 'packs'>, query: ChangeQuery): Expression<SqlBool> {
  const conditions: Expression<SqlBool>[] = [builder('packs.sequence', '>', query.after)]
  if (query.since !== undefined) {
    conditions.push(builder('packs.updated_at', '>=', new Date(query.since).toISOString()))
  }
  if (!query.removals) conditions.push(builder('packs.latest', 'is not', null))
  const filters = [
    ['domain_slug', query.domain],
    ['difficulty', query.difficulty],
  ] as const
  const present = filters.flatMap(([column, value]) => (value === undefined ? [] : [{ column, value }]))
  if (present.length === 0) return builder.and(conditions)
  const matchesNow = builder.and(present.map(({ column, value }) => builder(`packs.${column}`, '=', value)))
  const matchedOnce = builder.exists(
    present.reduce(
      (versions, { column, value }) => versions.where(`versions.${column}`, '=', value),
      builder
        .selectFrom('versions')
        .select('versions.sequence')
        .whereRef('versions.pack', '=', 'packs.number'),
    ),
  )
  return builder.and([...conditions, query.removals ? matchedOnce : matchesNow])
}

function cutPage(packs: readonly ChangedPack[], query: ChangeQuery): readonly ChangedPack[] {
  let bytes = 0
  const end = packs.findIndex((pack, index) => {
    if (isShown(pack, query)) bytes += pack.bytes ?? 0
    return index === query.limit || (index > 0 && bytes > query.maxBytes)
  })
  return end < 0 ? packs : packs.slice(0, end)
}

async function readChanges(
  queries: Queries,
  page: readonly ChangedPack[],
  query: ChangeQuery,
): Promise<Pick<ChangePage, 'changes' | 'damaged'>> {
  const wanted = page.flatMap((pack) => (isShown(pack, query) ? [pack.latest] : []))
  const rows =
    wanted.length === 0
      ? []
      : await queries
          .selectFrom('versions')
          .innerJoin('packs', 'packs.number', 'versions.pack')
          .select(summaryColumns)
          .where('versions.sequence', 'in', wanted)
          .execute()
  const versions = new Map(rows.map((row) => [row.sequence, row]))
  const { read, damaged } = separateDamaged(page, (pack): Change => {
    const { sequence, id, slug, updated_at } = pack
    if (!isShown(pack, query)) return { sequence, removed: true, id, slug, updated_at }
    const row = versions.get(pack.latest)
    if (row === undefined) throw danglingReferenceError('latest', pack)
    const version = readRecord({ ...row, yanked_reason: null, bytes: pack.bytes ?? 0 }, pack)
    return { sequence, removed: false, version }
  })
  return { changes: read, damaged }
}

function isShown(pack: ChangedPack, query: ChangeQuery): pack is ChangedPack & { readonly latest: number } {
  return (
    pack.latest !== null &&
    (query.domain ?? pack.domain_slug) === pack.domain_slug &&
    (query.difficulty ?? pack.difficulty) === pack.difficulty
  )
}
