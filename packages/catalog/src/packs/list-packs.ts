import { listTitleWords } from '@packs/search'
import { sql, type Expression, type ExpressionBuilder, type RawBuilder, type SqlBool } from 'kysely'
import {
  type Database,
  cleanText,
  type PackTable,
  type Schema,
  type Queries,
  readSequence,
} from '../database/database.ts'
import { indexTables } from '../search-index/create-index-tables.ts'
import type { PackKey, PackOrder, PackPage, PackQuery, VersionRecord } from '../types.ts'
import {
  danglingReferenceError,
  readSummary,
  separateDamaged,
  summaryColumns,
  type SummaryRow,
  readRecord,
} from './version-row.ts'
import type { DamagedVersion } from '../catalog-error.ts'
import type { Difficulty } from '@packs/codec/pack'

type PackFilters = Omit<PackQuery, 'limit' | 'offset' | 'after' | 'order'>

type OrderColumn = keyof Pick<PackTable, 'title_key' | 'id' | 'sequence' | 'tokens' | 'net_savings'>

type OrderTerm = readonly [column: OrderColumn, direction: 'asc' | 'desc']

const byTitle: readonly OrderTerm[] = [
  ['title_key', 'asc'],
  ['id', 'asc'],
]

/** Columns of each order; each order has its own index. Sequence numbers have no ties. */
const orders: Readonly<Record<PackOrder, readonly OrderTerm[]>> = {
  title: byTitle,
  newest: [
    ['sequence', 'desc'],
    ['id', 'asc'],
  ],
  smallest: [['tokens', 'asc'], ...byTitle],
  saved: [['net_savings', 'desc'], ...byTitle],
}

/** The page is chosen from the index alone; full rows are read only for that page. */
export async function listPacks(database: Database, query: PackQuery): Promise<Omit<PackPage, 'total'>> {
  const { reads } = database
  const titles = await matchTitles(database, query.search)
  const order = orders[query.order ?? 'title']
  let page = reads
    .selectFrom('packs')
    .select(order.map(([column]) => column))
    .where((builder) => matchPacks(builder, titles, query))
    // One more tells whether there is another page.
    .limit(query.limit + 1)
    .offset(query.offset)
  const { after } = query
  if (after !== undefined) page = page.where((builder) => isAfter(builder, order, after))
  for (const [column, direction] of order) page = page.orderBy(column, direction)
  let listed = reads
    .selectFrom(page.as('page'))
    .innerJoin('packs', 'packs.id', 'page.id')
    // A pack whose latest version is missing is damaged, and must not disappear without a word.
    .leftJoin('versions', 'versions.sequence', 'packs.latest')
    .select([...summaryColumns, 'packs.updated_at'])
    .select(order.map(([column], at) => sql.ref<string | number>(`page.${column}`).as(`key_${at}`)))
  for (const [column, direction] of order) listed = listed.orderBy(`page.${column}`, direction)
  const rows = await listed.execute()
  const { read, damaged } = separateDamaged(rows.slice(0, query.limit), (row) => {
    if (!hasVersion(row)) throw danglingReferenceError('latest', row)
    return readSummary(row, row)
  })
  const last = rows.length > query.limit ? rows[query.limit - 1] : undefined
  return { packs: read, damaged, next: last && order.map((_, at) => last[`key_${at}`]!) }
}

/** Matches what follows a key. Its first condition bounds the scan of the order's index. */
function isAfter(
  builder: ExpressionBuilder<Schema, 'packs'>,
  [[column, direction] = byTitle[0]!, ...columns]: readonly OrderTerm[],
  [value = '', ...values]: PackKey,
): Expression<SqlBool> {
  const sign = direction === 'asc' ? '>' : '<'
  const follows = builder(column, sign, value)
  if (columns.length === 0) return follows
  const ties = builder.or([follows, isAfter(builder, columns, values)])
  return builder.and([builder(column, `${sign}=`, value), ties])
}

/** Tells whether a pack was found with its version, whose columns are else all null. */
function hasVersion<Row extends { readonly [Column in keyof SummaryRow]: SummaryRow[Column] | null }>(
  row: Row,
): row is Row & SummaryRow {
  return row.sequence !== null
}

export async function countPacks(database: Database, filters: PackFilters): Promise<number> {
  const titles = await matchTitles(database, filters.search)
  const { total } = await database.reads
    .selectFrom('packs')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where((builder) => matchPacks(builder, titles, filters))
    .executeTakeFirstOrThrow()
  return total
}

interface DomainCount extends Pick<PackTable, 'domain' | 'domain_slug'> {
  readonly packs: number
  /** By name; equal if all packs have the same. */
  readonly first_difficulty: string
  readonly last_difficulty: string
}

/** Counts visible packs by domain, in the order of names: of several spellings the first one. */
export async function countDomains({ reads }: Database): Promise<readonly DomainCount[]> {
  return reads
    .selectFrom('packs')
    .select(['domain_slug'])
    .select(({ fn }) => [fn.min('domain').as('domain'), fn.countAll<number>().as('packs')])
    .select(({ fn }) => fn.min('difficulty').as('first_difficulty'))
    .select(({ fn }) => fn.max('difficulty').as('last_difficulty'))
    .where('latest', 'is not', null)
    .groupBy('domain_slug')
    .orderBy('domain')
    .orderBy('domain_slug')
    .execute()
}

function matchPacks(
  builder: ExpressionBuilder<Schema, 'packs'>,
  titles: readonly RawBuilder<SqlBool>[],
  { domain, difficulty, maxTokens }: PackFilters,
): Expression<SqlBool> {
  const conditions: Expression<SqlBool>[] = [builder('packs.latest', 'is not', null)]
  if (domain !== undefined) conditions.push(builder('packs.domain_slug', '=', cleanText(domain)))
  if (difficulty !== undefined) conditions.push(builder('packs.difficulty', '=', difficulty))
  if (maxTokens !== undefined) conditions.push(builder('packs.tokens', '<=', maxTokens))
  return builder.and([...conditions, ...titles])
}

/** Terms that begin as a word of a search does; the shortest ones, if there are more. */
const MAX_COMPLETIONS = 500
/** Greater than every character that a term can have. */
const LAST_CHARACTER = '\u{10FFFF}'

/** Returns a condition for each word of a search by title: the title has it, or a longer one. */
async function matchTitles(
  { reads, dialect }: Database,
  search = '',
): Promise<readonly RawBuilder<SqlBool>[]> {
  const words = listTitleWords(search)
  const none = sql<SqlBool>`1 = 0`
  if (words.length === 0) return search.trim() === '' ? [] : [none]
  const conditions: RawBuilder<SqlBool>[] = []
  for (const { term, prefix } of words) {
    const begin = prefix === undefined ? undefined : cleanText(prefix)
    const rows = await reads
      .selectFrom('search_terms')
      .select('id')
      .where((where) =>
        begin === undefined
          ? where('term', '=', cleanText(term))
          : where.or([
              where('term', '=', cleanText(term)),
              where.and([where('term', '>=', begin), where('term', '<', begin + LAST_CHARACTER)]),
            ]),
      )
      .orderBy(sql`length(term)`)
      .orderBy('term')
      .limit(MAX_COMPLETIONS)
      .execute()
    if (rows.length === 0) return [none]
    conditions.push(indexTables(dialect).matchPacks(rows.map(({ id }) => id)))
  }
  return conditions
}

/** Words of a slug that are looked for one by one, and similar packs. */
const MAX_SLUG_WORDS = 3
const MAX_SIMILAR = 3

/** Slugs of packs whose titles contain the words of an unknown slug, or one of its longest. */
export async function listSimilarPacks(
  packs: { readonly list: (query: PackQuery) => Promise<PackPage> },
  slug: string,
): Promise<readonly string[]> {
  const words = slug.split('-').toSorted((a, b) => b.length - a.length)
  for (const search of [words.join(' '), ...words.slice(0, MAX_SLUG_WORDS)]) {
    const found = await packs.list({ search, limit: MAX_SIMILAR, offset: 0 })
    if (found.packs.length > 0) return found.packs.map((pack) => pack.slug)
  }
  return []
}

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
      // Of a purged version it is not known.
      (versions, { column, value }) =>
        versions.where((where) =>
          where.or([where(`versions.${column}`, '=', value), where('versions.purge', 'is not', null)]),
        ),
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
