import type { FoundPack, FoundSection, SearchStore, TermRow } from '@packs/search'
import { LRUCache } from 'lru-cache'
import { cleanText } from '../database/clean-text.ts'
import type { Database } from '../database/dialect.ts'
import type { SearchTermTable } from '../database/schema.ts'
import { readSummary, separateDamaged, summaryColumns } from '../packs/version-row.ts'
import type { PackSummary } from '../types.ts'
import { indexTables } from '../search-index/create-index-tables.ts'
import { readTerms } from '../search-index/term-numbers.ts'
import { readIndexState, requireFormat } from '../search-index/write-packs.ts'
import { sectionsStored } from '../packs/read-versions.ts'
import { decodeOutline, type Outline } from '../search-index/describe-version.ts'

/** Sections of found packs that are kept in memory, about 200 bytes each. */
const MAX_CACHED_SECTIONS = 100_000

/** Greater than every character that a term can have. */
const LAST_CHARACTER = '\u{10FFFF}'

/** Creates the store of a database that `search` searches. */
export function createSearchStore(database: Database): SearchStore {
  const { reads, dialect } = database
  const tables = indexTables(dialect)
  const outlines: SectionCache = new LRUCache({
    maxSize: MAX_CACHED_SECTIONS,
    sizeCalculation: ({ length }) => length + 1,
  })
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
  return { id, text: term, word, sections }
}

/** Returns packs in the given order. A pack whose row is damaged is omitted, as in lists. */
async function readPacks(
  database: Database,
  outlines: SectionCache,
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
  const unknown = read.map(({ row }) => row.sequence).filter((sequence) => !outlines.has(sequence))
  const stored = await readStoredOutlines(database, unknown)
  for (const { row, summary } of read) {
    const { sequence } = row
    const sections =
      outlines.get(sequence) ?? listSections(stored.get(sequence) ?? (await readOutline(database, sequence)))
    if (sections === undefined) continue
    outlines.set(row.sequence, sections)
    found.set(row.number, createFoundPack({ ...summary, id: row.id }, row, sections))
  }
  return numbers.flatMap((number) => found.get(number) ?? [])
}

function createFoundPack(
  { id, slug, title, version, domain_slug, difficulty, ...counts }: PackSummary,
  { number, sequence }: Pick<FoundPack, 'number' | 'sequence'>,
  sections: readonly FoundSection[],
): FoundPack {
  const { token_count, rosetta_tokens, uncompressed_estimate, prompt_tokens } = counts
  const names = { number, sequence, id, slug, title, version, domain_slug, difficulty }
  const figures = { token_count, rosetta_tokens, uncompressed_estimate }
  return { ...names, ...figures, ...(prompt_tokens !== undefined && { prompt_tokens }), sections }
}

/** Sections of versions by sequence number. Versions never change. */
type SectionCache = LRUCache<number, readonly FoundSection[]>

function listSections(outline: Outline | undefined): readonly FoundSection[] | undefined {
  return outline?.sections.map(({ id, title, path, tokens }) => ({ id, title, path, tokens }))
}

/**
 * Returns the sections of the version with this sequence number; `undefined` for an unknown
 * version. A stored outline that is missing or damaged is derived again, but not stored.
 *
 * @throws CatalogError `catalog_damaged`, which names the version
 */
export async function readOutline(database: Database, sequence: number): Promise<Outline | undefined> {
  const stored = await readStoredOutlines(database, [sequence])
  if (stored.size > 0) return stored.get(sequence)
  const found = await sectionsStored(database.reads, sequence)
  return found && { preview: found.preview, sections: found.sections }
}

/** Returns stored outlines by sequence number, without those that are missing or damaged. */
export async function readStoredOutlines(
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
