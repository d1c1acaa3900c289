import { INDEX_FORMAT } from '@packs/search'
import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../database/dialect.ts'
import { indexTables } from '../search-index/create-index-tables.ts'
import { readIndexState } from '../search-index/write-packs.ts'
import type { IndexState, SearchIndex } from '../search-index.ts'
import { auditEntries } from './audit-entries.ts'
import { auditTotals } from './audit-totals.ts'
import { createSearchStore } from './create-search-store.ts'
import { indexWaiting, isWaiting } from './index-waiting.ts'
import { readOutline } from './read-outline.ts'
import { recreateIndex } from './reset-index.ts'

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
    async rebuild(options) {
      await recreateIndex(database)
      return indexWaiting(database, options)
    },
    audit: (slug, version) => auditEntries(database, slug, version),
    auditTotals: () => auditTotals(database),
  }
}

/** Implements `SearchIndex.state`. */
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
