import { INDEX_FORMAT, type SearchStore } from '@packs/search'
import { sql, type RawBuilder } from 'kysely'
import type { Database, Method } from '../database/dialect.ts'
import { indexTables } from '../search-index/create-index-tables.ts'
import { readIndexState, numberPack, type NumberedEntry } from '../search-index/write-packs.ts'
import { auditTotals } from './audit-totals.ts'
import { createSearchStore, readOutline, readStoredOutlines } from './create-search-store.ts'
import { indexWaiting, isWaiting, type IndexOptions, type IndexRun, type Reached } from './index-waiting.ts'
import { recreateIndex } from './recreate-index.ts'
import { auditTexts, readTexts } from '../search-index/section-texts.ts'
import type { PackTable } from '../database/schema.ts'
import { tryToDescribeStored } from '../packs/read-versions.ts'
import { findPack, findVersion } from '../packs/pack-row.ts'
import { splitLines, type DescribedVersion, encodeOutline } from '../search-index/describe-version.ts'
import { readTerms } from '../search-index/term-numbers.ts'

/**
 * How complete the index of packs and sections is.
 *
 * - `ready`: it holds the latest version of every pack.
 * - `building`: some packs are missing, and are not found until `indexWaiting` has run.
 * - `missing`: it holds no pack of a catalog that has some.
 * - `damaged`: its tables cannot be read or are missing; `rebuild` creates them again.
 */
export interface IndexState {
  readonly status: 'ready' | 'building' | 'missing' | 'damaged'
  /** Packs in the index; counted up to 10,000. */
  readonly indexed: number
  /** Packs whose latest version is not in the index; counted up to 10,000. */
  readonly waiting: number
  /** What the database says about a damaged index. */
  readonly reason?: string
}

/** The index of packs and sections, and the outlines of versions. */
export interface SearchIndex {
  /** What `search` of `@packs/search` searches. */
  readonly store: SearchStore
  readonly outline: Method<typeof readOutline>
  /**
   * Returns the stored texts of some sections of a version by their index; `undefined` if one is
   * missing or damaged, or the whole table is.
   */
  readonly texts: Method<typeof readTexts>
  readonly state: Method<typeof readState>
  readonly indexWaiting: (options?: IndexOptions) => Promise<IndexRun>
  readonly rebuild: (options?: IndexOptions) => Promise<IndexRun>
  readonly audit: Method<typeof auditEntries>
  readonly auditTotals: Method<typeof auditTotals>
}

/** Most packs that `state` counts. */
const MAX_COUNT = 10_000

/** Finds no entry, because it is the number of no term. */
const NO_TERM = -(2 ** 31 - 1)

export function createSearchIndex(database: Database): SearchIndex {
  const reached: Reached = { sequence: 0 }
  return {
    store: createSearchStore(database),
    outline: (sequence) => readOutline(database, sequence),
    texts: (sequence, ordinals) => readTexts(database, sequence, ordinals),
    state: () => readState(database),
    indexWaiting: (options) => indexWaiting(database, reached, options),
    rebuild: (options) => rebuildIndex(database, reached, options),
    audit: (slug, version) => auditEntries(database, slug, version),
    auditTotals: () => auditTotals(database),
  }
}

/**
 * Drops the tables of the index, creates them again, and indexes all packs. Meanwhile searches find
 * some packs only.
 */
async function rebuildIndex(database: Database, reached: Reached, options?: IndexOptions): Promise<IndexRun> {
  await recreateIndex(database)
  reached.sequence = 0
  return indexWaiting(database, reached, options)
}

/** Reports how complete the index is. It reads an index of the packs that wait, not the packs. */
async function readState(database: Database): Promise<IndexState> {
  const { reads, dialect } = database
  try {
    const state = await readIndexState(reads)
    if (state === undefined) return await describeDamage(database, 'search_state has no row')
    const isCurrent = state.format === INDEX_FORMAT
    const waiting = await countPacks(reads, isCurrent ? isWaiting : sql`latest is not null`)
    const indexed = isCurrent ? await countPacks(reads, sql`indexed = latest`) : 0
    await probeTables(database)
    const status = waiting === 0 ? 'ready' : indexed === 0 ? 'missing' : 'building'
    return { status, indexed, waiting }
  } catch (error) {
    if (!indexTables(dialect).isDamage(error)) throw error
    return describeDamage(database, readReason(error))
  }
}

/** Reads from every table of the index, but hardly any rows. */
async function probeTables({ reads, dialect }: Database): Promise<void> {
  await sql`select exists (select 1 from outlines), exists (select 1 from section_texts),
    exists (select 1 from search_terms)`.execute(reads)
  const query = { any: [[NO_TERM], [NO_TERM, NO_TERM]], filters: [], maxTokens: undefined, limit: 1 }
  await indexTables(dialect).findEntries(reads, query)
}

/** Fails if not only the index is damaged. */
async function describeDamage({ reads }: Database, reason: string): Promise<IndexState> {
  const waiting = await countPacks(reads, sql`latest is not null`)
  return { status: 'damaged', indexed: 0, waiting, reason }
}

/** Returns the database's own message, which names tables and nothing of their contents. */
function readReason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error ? cause.message.slice(0, 200) : 'unknown'
}

async function countPacks(reads: Database['reads'], condition: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from
    (select 1 from packs where ${condition} limit ${sql.lit(MAX_COUNT)}) as found`.execute(reads)
  return rows[0]?.count ?? 0
}

/**
 * Compares what is stored for a version with what its document gives: its outline, and if it is the
 * latest one, its entries and texts. Returns the names of what differs, such as
 * `search_entries.vector`; none for an unknown or unreadable version, or a pack that waits to be
 * indexed.
 */
async function auditEntries(database: Database, slug: string, version: string): Promise<readonly string[]> {
  const { reads } = database
  const pack = await findPack(reads, slug)
  const row = pack && (await findVersion(reads, pack, version))
  const described = row && (await tryToDescribeStored(reads, row.sequence))
  if (described === undefined) return []
  const outline = (await readStoredOutlines(database, [row!.sequence])).get(row!.sequence)
  const isRight = outline === undefined ? undefined : encodeOutline(outline) === described.outline
  const isIndexed = pack!.indexed === row!.sequence && pack!.latest === row!.sequence
  const entries = isIndexed ? await compareEntries(database, pack!, described) : []
  const hasTexts = await auditTexts(reads, row!.sequence, described.texts)
  const after = await findPack(reads, slug)
  // The rows are read one after another, so a change in between would look like damage.
  if (after?.sequence !== pack!.sequence || after.indexed !== pack!.indexed)
    return auditEntries(database, slug, version)
  // An outline that is missing is derived when it is read.
  const isMissing = outline === undefined && isIndexed
  const isOutlineWrong = isRight === false || isMissing
  const texts = hasTexts ? [] : ['section_texts.text']
  const { prompt_tokens, lead } = described.figures
  const wrong = [
    ...(row!.prompt_tokens !== prompt_tokens ? ['versions.prompt_tokens'] : []),
    ...(row!.lead !== lead ? ['versions.lead'] : []),
  ]
  return [...(isOutlineWrong ? ['outlines.data'] : []), ...texts, ...wrong, ...entries]
}

async function compareEntries(
  { reads, dialect }: Database,
  { number }: PackTable,
  described: DescribedVersion,
): Promise<string[]> {
  const tables = indexTables(dialect)
  const rows = await reads
    .selectFrom('search_entries')
    .select(['id', 'ordinal', 'tokens', 'vector'])
    .where('pack', '=', number)
    .orderBy('ordinal')
    .execute()
  const texts = splitLines(described.terms)
  const known = new Map(
    (await readTerms(reads, tables, [...texts, ...described.filters])).map(({ id, term }) => [term, id]),
  )
  if ([...texts, ...described.filters].some((text) => !known.has(text))) return ['search_terms.term']
  const numbers = texts.map((text) => known.get(text)!)
  const filters = described.filters.map((text) => known.get(text)!)
  const expected = numberPack(described, numbers)
  if (rows.length !== expected.length) return ['search_entries.ordinal']
  const numbered = expected.map((entry, index) => ({ ...entry, id: rows[index]!.id, pack: number, filters }))
  const differs = (isSame: (row: (typeof rows)[number], entry: NumberedEntry) => boolean): boolean =>
    rows.some((row, index) => !isSame(row, numbered[index]!))
  return [
    ...(differs((row, { ordinal }) => row.ordinal === ordinal) ? ['search_entries.ordinal'] : []),
    ...(differs((row, { tokens }) => row.tokens === tokens) ? ['search_entries.tokens'] : []),
    ...(differs((row, { vector }) => Buffer.compare(row.vector, vector) === 0)
      ? ['search_entries.vector']
      : []),
    ...(await tables.auditPostings(reads, numbered)),
  ]
}
