import type { SearchStore } from '@packs/search'
import { sql } from 'kysely'
import type { Database, Method } from '../database/dialect.ts'
import { indexTables } from '../search-index/create-index-tables.ts'
import {
  damagedIndexError,
  readIndexState,
  numberPack,
  requireFormat,
  type NumberedEntry,
} from '../search-index/write-packs.ts'
import { auditTotals } from './audit-totals.ts'
import { createSearchStore, readOutline, readStoredOutlines } from './create-search-store.ts'
import { rebuildIndex } from './rebuild-index.ts'
import { auditTexts, readTexts } from '../search-index/section-texts.ts'
import type { PackTable } from '../database/schema.ts'
import { tryToDescribeStored } from '../packs/read-versions.ts'
import { findPack, findVersion } from '../packs/pack-row.ts'
import { splitLines, type DescribedVersion, encodeOutline } from '../search-index/describe-version.ts'
import { readTerms } from '../search-index/term-numbers.ts'

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
  readonly rebuild: Method<typeof rebuildIndex>
  /** What keeps the index from being read, as the database says; `undefined` if nothing does. */
  readonly explainDamage: Method<typeof explainDamage>
  readonly audit: Method<typeof auditEntries>
  readonly auditTotals: Method<typeof auditTotals>
}

/** Finds no entry, because it is the number of no term. */
const NO_TERM = -(2 ** 31 - 1)

export function createSearchIndex(database: Database): SearchIndex {
  return {
    store: createSearchStore(database),
    outline: (sequence) => readOutline(database, sequence),
    texts: (sequence, ordinals) => readTexts(database, sequence, ordinals),
    rebuild: (onProgress) => rebuildIndex(database, onProgress),
    explainDamage: () => explainDamage(database),
    audit: (slug, version) => auditEntries(database, slug, version),
    auditTotals: () => auditTotals(database),
  }
}

/**
 * Checks that the index can be read and was made by the analysis of this program.
 *
 * @throws CatalogError `catalog_unavailable` or `schema_too_old`
 */
export async function requireIndex({ reads, dialect }: Database): Promise<void> {
  try {
    requireFormat(await readIndexState(reads))
  } catch (error) {
    throw indexTables(dialect).isDamage(error) ? damagedIndexError(error) : error
  }
}

async function explainDamage({ reads, dialect }: Database): Promise<string | undefined> {
  try {
    if ((await readIndexState(reads)) === undefined) return 'search_state has no row'
    await sql`select exists (select 1 from outlines), exists (select 1 from section_texts),
      exists (select 1 from search_terms)`.execute(reads)
    const query = { any: [[NO_TERM], [NO_TERM, NO_TERM]], filters: [], maxTokens: undefined, limit: 1 }
    await indexTables(dialect).findEntries(reads, query)
    return undefined
  } catch (error) {
    if (!indexTables(dialect).isDamage(error)) throw error
    // The message of the database names tables and nothing of their contents.
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return cause instanceof Error ? cause.message.slice(0, 200) : 'unknown'
  }
}

/**
 * Compares what is stored for a version with what its document gives: its outline, and if it is the
 * latest one, its entries and texts. Returns the names of what differs, such as
 * `search_entries.vector`; none for an unknown or unreadable version.
 */
async function auditEntries(database: Database, slug: string, version: string): Promise<readonly string[]> {
  const { reads } = database
  const pack = await findPack(reads, slug)
  const row = pack && (await findVersion(reads, pack, version))
  const described = row && (await tryToDescribeStored(reads, row.sequence))
  if (described === undefined) return []
  const outline = (await readStoredOutlines(database, [row!.sequence])).get(row!.sequence)
  const isIndexed = pack!.latest === row!.sequence
  const entries = isIndexed ? await compareEntries(database, pack!, described) : []
  const hasTexts = !isIndexed || (await auditTexts(reads, row!.sequence, described.texts))
  const after = await findPack(reads, slug)
  // The rows are read one after another, so a change in between would look like damage.
  if (after?.sequence !== pack!.sequence) return auditEntries(database, slug, version)
  const isOutlineWrong = outline === undefined || encodeOutline(outline) !== described.outline
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
  const wanted = [...texts, ...described.filters, ...described.titles]
  const known = new Map((await readTerms(reads, tables, wanted)).map(({ id, term }) => [term, id]))
  if (wanted.some((text) => !known.has(text))) return ['search_terms.term']
  const [numbers, filters, titles] = [texts, described.filters, described.titles].map((list) =>
    list.map((text) => known.get(text)!),
  ) as [number[], number[], number[]]
  const expected = numberPack(described, numbers, filters, titles)
  if (rows.length !== expected.length) return ['search_entries.ordinal']
  const numbered = expected.map((entry, index) => ({ ...entry, id: rows[index]!.id, pack: number }))
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
