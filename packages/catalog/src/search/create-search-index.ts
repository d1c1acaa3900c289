import { CodecError } from '@packs/codec'
import type { SearchStore, FoundPack, FoundSection, TermRow } from '@packs/search'
import { sql } from 'kysely'
import {
  type Database,
  type Method,
  type PackTable,
  type SearchTermTable,
  cleanText,
} from '../database/database.ts'
import { indexTables } from '../search-index/create-index-tables.ts'
import {
  damagedIndexError,
  listTerms,
  readIndexState,
  numberPack,
  requireFormat,
  type NumberedEntry,
} from '../search-index/write-packs.ts'
import { examineTotals } from './examine-totals.ts'
import { rebuildIndex } from './rebuild-index.ts'
import { examineTexts, readTexts } from '../search-index/section-texts.ts'
import { examineVersion } from '../packs/examine-version.ts'
import { sectionsStored } from '../packs/read-versions.ts'
import { findPack } from '../packs/pack-row.ts'
import {
  type DescribedVersion,
  describeVersion,
  encodeOutline,
  type Outline,
  decodeOutline,
} from '../search-index/describe-version.ts'
import { readTerms } from '../search-index/term-numbers.ts'
import { hasDigests, readSummary, separateDamaged, summaryColumns } from '../packs/version-row.ts'
import type { ExaminedVersion, PackSummary } from '../types.ts'

export interface SearchIndex {
  /** Creates what `search` searches. A reader passes the outlines that it keeps. */
  readonly store: (outlines?: ReadOutlines) => SearchStore
  readonly outline: (sequence: number) => Promise<Outline | undefined>
  readonly outlines: Method<typeof readOutlines>
  readonly texts: Method<typeof readTexts>
  readonly rebuild: Method<typeof rebuildIndex>
  /** What keeps the index from being read, as the database says; `undefined` if nothing does. */
  readonly explainDamage: Method<typeof explainDamage>
  readonly examine: Method<typeof examineEntries>
  readonly examineTotals: Method<typeof examineTotals>
}

/** Finds no entry, because it is the number of no term. */
const NO_TERM = -(2 ** 31 - 1)

export function createSearchIndex(database: Database): SearchIndex {
  const outlines: ReadOutlines = (sequences) => readOutlines(database, sequences)
  return {
    store: (kept = outlines) => createSearchStore(database, kept),
    outline: async (sequence) => (await outlines([sequence])).get(sequence),
    outlines,
    texts: (sequence, ordinals) => readTexts(database, sequence, ordinals),
    rebuild: (onProgress) => rebuildIndex(database, onProgress),
    explainDamage: () => explainDamage(database),
    examine: (slug, version, examined, terms) => examineEntries(database, slug, version, examined, terms),
    examineTotals: () => examineTotals(database),
  }
}

/** @throws CatalogError `catalog_unavailable` or `schema_too_old` */
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
 * Returns what differs from what the document gives, such as `search_entries.vector`; nothing for
 * a document that is damaged.
 * @param examined the version as `packs.examine` returns it
 * @param terms numbers of terms that were read for other versions, to which this adds
 */
async function examineEntries(
  database: Database,
  slug: string,
  version: string,
  examined?: ExaminedVersion,
  terms: Map<string, number> = new Map(),
): Promise<readonly string[]> {
  const { reads } = database
  const found = examined ?? (await examineVersion(database, slug, version))
  const described = found && (await tryToDescribe(found))
  if (described === undefined) return []
  const { listed, sequence, lead } = found!
  if (terms.size > MAX_TERMS) terms.clear()
  const isFresh = terms.size === 0
  const outline = (await readStoredOutlines(database, [sequence])).get(sequence)
  const isIndexed = listed.latest === sequence
  const entries = isIndexed ? await compareEntries(database, listed, described, terms) : []
  const hasTexts = !isIndexed || (await examineTexts(reads, sequence, described.texts))
  const isOutlineWrong = outline === undefined || encodeOutline(outline) !== described.outline
  const texts = hasTexts ? [] : ['section_texts.text']
  const leads = lead === described.lead ? [] : ['versions.lead']
  const names = [...(isOutlineWrong ? ['outlines.data'] : []), ...texts, ...leads, ...entries]
  // A change since the first row was read looks like damage, and so does a term that was indexed again.
  if (names.length === 0 || (isFresh && (await findPack(reads, slug))?.sequence === listed.sequence))
    return names
  terms.clear()
  return examineEntries(database, slug, version, undefined, terms)
}

async function tryToDescribe({ pack, damaged }: ExaminedVersion): Promise<DescribedVersion | undefined> {
  const isWhole = pack && hasDigests(pack) && !damaged.some((name) => name.startsWith('versions.summary'))
  try {
    return isWhole ? await describeVersion(pack) : undefined
  } catch (error) {
    if (error instanceof CodecError) return undefined
    throw error
  }
}

/** Terms that are kept in memory for the next versions: about 10 MB. */
const MAX_TERMS = 100_000

async function compareEntries(
  { reads, dialect }: Database,
  { number }: PackTable,
  described: DescribedVersion,
  known: Map<string, number>,
): Promise<string[]> {
  const tables = indexTables(dialect)
  const rows = await reads
    .selectFrom('search_entries')
    .select(['id', 'ordinal', 'tokens', 'vector'])
    .where('pack', '=', number)
    .orderBy('ordinal')
    .execute()
  const missing = listTerms(described).filter((text) => !known.has(text))
  for (const { id, term } of await readTerms(reads, tables, missing)) known.set(term, id)
  if (missing.some((text) => !known.has(text))) return ['search_terms.term']
  const expected = numberPack(described, (text) => known.get(text)!)
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
    ...(await tables.examinePostings(reads, numbered)),
  ]
}

/** Greater than every character that a term can have. */
const LAST_CHARACTER = '\u{10FFFF}'

/** Returns outlines by sequence number, without those of unknown versions. */
type ReadOutlines = (sequences: readonly number[]) => Promise<ReadonlyMap<number, Outline>>

function createSearchStore(database: Database, outlines: ReadOutlines): SearchStore {
  const { reads, dialect } = database
  const tables = indexTables(dialect)
  return {
    async readTotals() {
      const state = await readIndexState(reads)
      requireFormat(state)
      return { sections: state.sections, words: state.words }
    },

    async findTerms(texts) {
      if (texts.length === 0) return []
      return (await readTerms(reads, tables, texts)).map(toTermRow)
    },

    async listTerms(prefix, limit) {
      const first = cleanText(prefix)
      const rows = await reads
        .selectFrom('search_terms')
        .selectAll()
        .where('term', '>=', first)
        .where('term', '<', `${first}${LAST_CHARACTER}`)
        .where('entries', '>', 0)
        .orderBy('sections', 'desc')
        .orderBy('term')
        .limit(limit)
        .execute()
      return rows.map(toTermRow)
    },

    findEntries: (query) => tables.findEntries(reads, query),

    async readEntries(packs, limit) {
      if (packs.length === 0) return []
      // Ordinals have no gaps and begin with -1.
      const rows = await reads
        .selectFrom('search_entries')
        .select(['pack', 'ordinal', 'tokens', 'vector'])
        .where('pack', 'in', [...packs])
        .where('ordinal', '<', limit - 1)
        .execute()
      const positions = new Map(packs.map((pack, position) => [pack, position]))
      return rows.toSorted((a, b) => positions.get(a.pack)! - positions.get(b.pack)! || a.ordinal - b.ordinal)
    },

    readPacks: (packs) => readPacks(database, outlines, packs),

    async findPacks(names) {
      if (names.length === 0) return []
      const rows = await reads
        .selectFrom('packs')
        .select('number')
        .where((builder) => builder.or([builder('slug', 'in', [...names]), builder('id', 'in', [...names])]))
        .orderBy('number')
        .execute()
      return rows.map(({ number }) => number)
    },
  }
}

function toTermRow({ id, term, word, sections }: SearchTermTable): TermRow {
  return { id, text: term, words: word, sections }
}

/** Returns packs in the given order. A pack whose row is damaged is omitted, as in lists. */
async function readPacks(
  database: Database,
  readOutlines: ReadOutlines,
  numbers: readonly number[],
): Promise<readonly FoundPack[]> {
  if (numbers.length === 0) return []
  const rows = await database.reads
    .selectFrom('packs')
    .innerJoin('versions', 'versions.sequence', 'packs.latest')
    .select([...summaryColumns, 'packs.number', 'packs.id', 'packs.updated_at'])
    .where('packs.number', 'in', [...numbers])
    .execute()
  const { read } = separateDamaged(rows, (row) => ({ row, summary: readSummary(row, row) }))
  const found = new Map<number, FoundPack>()
  const outlines = await readOutlines(read.map(({ row }) => row.sequence))
  for (const { row, summary } of read) {
    const outline = outlines.get(row.sequence)
    if (outline === undefined) continue
    const sections = outline.sections.map(({ id, title, path, tokens }) => ({ id, title, path, tokens }))
    found.set(row.number, createFoundPack({ ...summary, id: row.id }, row, { url: outline.url, sections }))
  }
  return numbers.flatMap((number) => found.get(number) ?? [])
}

function createFoundPack(
  { id, slug, title, version, pack_digest, domain_slug, difficulty, ...counts }: PackSummary,
  { number, sequence }: Pick<FoundPack, 'number' | 'sequence'>,
  { url, sections }: { readonly url: string | undefined; readonly sections: readonly FoundSection[] },
): FoundPack {
  const { token_count, rosetta_tokens, uncompressed_estimate } = counts
  const names = { number, sequence, id, slug, title, version, pack_digest, domain_slug, difficulty }
  const figures = { token_count, rosetta_tokens, uncompressed_estimate }
  return {
    ...names,
    ...figures,
    ...(url !== undefined && { url }),
    sections,
  }
}

/**
 * Derives a stored outline that is missing or damaged again, but does not store it.
 * @throws CatalogError `catalog_damaged`, which names the version
 */
async function readOutlines(
  database: Database,
  sequences: readonly number[],
): Promise<ReadonlyMap<number, Outline>> {
  const outlines = new Map(await readStoredOutlines(database, sequences))
  for (const sequence of sequences) {
    if (outlines.has(sequence)) continue
    const found = await sectionsStored(database.reads, sequence)
    if (found === undefined) continue
    const { body: _, ...outline } = found
    outlines.set(sequence, outline)
  }
  return outlines
}

/** Returns stored outlines by sequence number, without those that are missing or damaged. */
async function readStoredOutlines(
  { reads, dialect }: Database,
  sequences: readonly number[],
): Promise<ReadonlyMap<number, Outline>> {
  if (sequences.length === 0) return new Map()
  try {
    const rows = await reads
      .selectFrom('outlines')
      .selectAll()
      .where('sequence', 'in', [...sequences])
      .execute()
    return new Map(
      rows.flatMap(({ sequence, data }): [number, Outline][] => {
        const outline = decodeOutline(data)
        return outline === undefined ? [] : [[sequence, outline]]
      }),
    )
  } catch (error) {
    if (indexTables(dialect).isDamage(error)) return new Map()
    throw error
  }
}
