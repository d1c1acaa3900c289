import { INDEX_FORMAT, type SearchStore } from '@packs/search'
import { sql, type RawBuilder } from 'kysely'
import type { Database, Method } from '../database/dialect.ts'
import { indexTables } from '../search-index/create-index-tables.ts'
import { readIndexState } from '../search-index/write-packs.ts'
import { auditEntries } from './audit-entries.ts'
import { auditTotals } from './audit-totals.ts'
import { createSearchStore } from './create-search-store.ts'
import { indexWaiting, isWaiting, type IndexOptions, type IndexRun } from './index-waiting.ts'
import { readOutline } from './read-outline.ts'
import { recreateIndex } from './reset-index.ts'

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
  readonly state: Method<typeof readState>
  readonly indexWaiting: Method<typeof indexWaiting>
  readonly rebuild: Method<typeof rebuildIndex>
  readonly audit: Method<typeof auditEntries>
  readonly auditTotals: Method<typeof auditTotals>
}

/** Most packs that `state` counts. */
const MAX_COUNT = 10_000

/** Finds no entry, because it is the number of no term. */
const NO_TERM = -(2 ** 31 - 1)

/** Creates the search index of a database. */
export function createSearchIndex(database: Database): SearchIndex {
  return {
    store: createSearchStore(database),
    outline: (sequence) => readOutline(database, sequence),
    state: () => readState(database),
    indexWaiting: (options) => indexWaiting(database, options),
    rebuild: (options) => rebuildIndex(database, options),
    audit: (slug, version) => auditEntries(database, slug, version),
    auditTotals: () => auditTotals(database),
  }
}

/** Drops the tables of the index, creates them again, and indexes all packs. Meanwhile searches find some packs only. */
async function rebuildIndex(database: Database, options?: IndexOptions): Promise<IndexRun> {
  await recreateIndex(database)
  return indexWaiting(database, options)
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
  await sql`select exists (select 1 from outlines), exists (select 1 from search_terms)`.execute(reads)
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
