import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Database } from '../database/dialect.ts'
import { cleanText, deriveTitleKey, splitWords } from '../database/title-keys.ts'
import type { PackTable, Schema } from '../database/schema.ts'
import type { PackOrder, PackPage, PackQuery } from '../types.ts'
import {
  danglingReferenceError,
  readSummary,
  separateDamaged,
  summaryColumns,
  type SummaryRow,
} from './version-row.ts'

type PackFilters = Omit<PackQuery, 'limit' | 'offset' | 'order'>

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

/**
 * Lists a page of packs. It is chosen from the index alone; full rows are read only for that page.
 */
export async function listPacks(
  { reads, dialect }: Database,
  query: PackQuery,
): Promise<Pick<PackPage, 'packs' | 'damaged'>> {
  const order = orders[query.order ?? 'title']
  let page = reads
    .selectFrom('packs')
    .select(order.map(([column]) => column))
    .where((builder) => matchPacks(builder, dialect, query))
    .limit(query.limit)
    .offset(query.offset)
  for (const [column, direction] of order) page = page.orderBy(column, direction)
  let listed = reads
    .selectFrom(page.as('page'))
    .innerJoin('packs', 'packs.id', 'page.id')
    // A pack whose latest version is missing is damaged, and must not disappear without a word.
    .leftJoin('versions', 'versions.sequence', 'packs.latest')
    .select([...summaryColumns, 'packs.updated_at'])
  for (const [column, direction] of order) listed = listed.orderBy(`page.${column}`, direction)
  const { read, damaged } = separateDamaged(await listed.execute(), (row) => {
    if (!hasVersion(row)) throw danglingReferenceError('latest', row)
    return readSummary(row, row)
  })
  return { packs: read, damaged }
}

/** Tells whether a pack was found with its version, whose columns are else all null. */
function hasVersion<Row extends { readonly [Column in keyof SummaryRow]: SummaryRow[Column] | null }>(
  row: Row,
): row is Row & SummaryRow {
  return row.sequence !== null
}

export async function countPacks({ reads, dialect }: Database, filters: PackFilters): Promise<number> {
  const { total } = await reads
    .selectFrom('packs')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where((builder) => matchPacks(builder, dialect, filters))
    .executeTakeFirstOrThrow()
  return total
}

/**
 * Returns the domains in use with the number of visible packs, ordered by name. If packs spell a
 * domain differently, the first spelling by code point is used.
 */
export async function countDomains({
  reads,
}: Database): Promise<readonly { domain: string; domain_slug: string; packs: number }[]> {
  return reads
    .selectFrom('packs')
    .select(['domain_slug'])
    .select(({ fn }) => [fn.min('domain').as('domain'), fn.countAll<number>().as('packs')])
    .where('latest', 'is not', null)
    .groupBy('domain_slug')
    .orderBy('domain')
    .orderBy('domain_slug')
    .execute()
}

function matchPacks(
  builder: ExpressionBuilder<Schema, 'packs'>,
  dialect: Database['dialect'],
  { domain, difficulty, maxTokens, search }: PackFilters,
): Expression<SqlBool> {
  const conditions: Expression<SqlBool>[] = [builder('packs.latest', 'is not', null)]
  if (domain !== undefined) conditions.push(builder('packs.domain_slug', '=', cleanText(domain)))
  if (difficulty !== undefined) conditions.push(builder('packs.difficulty', '=', difficulty))
  if (maxTokens !== undefined) conditions.push(builder('packs.tokens', '<=', maxTokens))
  const words = splitWords(deriveTitleKey(search ?? ''))
  if (words.length > 0) conditions.push(dialect.matchTitle(words))
  return builder.and(conditions)
}
