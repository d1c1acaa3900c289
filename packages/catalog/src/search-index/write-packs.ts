import {
  decodeVector,
  encodeVector,
  INDEX_FORMAT,
  isFullTerm,
  isSectionTerm,
  listKeyTerms,
  type Occurrence,
} from '@packs/search'
import { CatalogError } from '../catalog-error.ts'
import { type Queries, type SearchStateTable, type Dialect, splitParts } from '../database/database.ts'
import { splitLines, type DescribedVersion } from './describe-version.ts'
import { type IndexedEntry, type IndexTables, indexTables } from './create-index-tables.ts'
import { TermNumbers } from './term-numbers.ts'
import { writeTexts } from './section-texts.ts'

/** Packs whose entries are written together. Each batch writes the rows of its terms once. */
const PACKS_PER_BATCH = 250

export interface PackEntries {
  readonly pack: number
  /** `undefined` for nothing. */
  readonly described: DescribedVersion | undefined
}

/**
 * Entries and terms get ascending numbers under the lock: every database numbers alike.
 * @throws CatalogError `schema_too_old`
 */
export async function writePacks(
  transaction: Queries,
  tables: IndexTables,
  packs: readonly PackEntries[],
): Promise<void> {
  for (const part of splitParts(packs, PACKS_PER_BATCH)) await writeBatch(transaction, tables, part)
}

async function writeBatch(
  transaction: Queries,
  tables: IndexTables,
  packs: readonly PackEntries[],
): Promise<void> {
  const before = await readIndexState(transaction)
  requireFormat(before)
  const terms = new TermNumbers(transaction, tables, before.next_term)
  const removed = await removeEntries(
    transaction,
    tables,
    terms,
    packs.map(({ pack }) => pack),
  )
  const { entries, added } = await numberEntries(terms, packs, before.next_entry)
  await terms.write()
  if (entries.length > 0) await tables.insertEntries(transaction, entries)
  await transaction
    .updateTable('search_state')
    .set({
      sections: before.sections - removed.sections + added.sections,
      words: before.words - removed.words + added.words,
      next_entry: before.next_entry + entries.length,
      next_term: terms.next,
    })
    .execute()
}

/** @throws CatalogError `schema_too_old` for an index of another analysis */
export function requireFormat(state: SearchStateTable | undefined): asserts state is SearchStateTable {
  if (state?.format === INDEX_FORMAT) return
  throw new CatalogError(
    'schema_too_old',
    `The search index was made by analysis ${state?.format ?? 'unknown'}, and this program has analysis ${INDEX_FORMAT}`,
    'Stop all servers and workers, then run `pack index` of the newest version.',
  )
}

export function damagedIndexError(cause: unknown): CatalogError {
  return new CatalogError(
    'catalog_unavailable',
    'The search index is damaged',
    'No change was applied in part. Stop all servers and workers, then run `pack index`, which makes it from the packs.',
    { cause },
  )
}

export function readIndexState(queries: Queries): Promise<SearchStateTable | undefined> {
  return queries.selectFrom('search_state').selectAll().executeTakeFirst()
}

interface Totals {
  readonly sections: number
  readonly words: number
}

async function removeEntries(
  transaction: Queries,
  tables: IndexTables,
  terms: TermNumbers,
  packs: readonly number[],
): Promise<Totals> {
  const rows = await transaction
    .selectFrom('search_entries')
    .select(['id', 'ordinal', 'vector'])
    .where('pack', 'in', packs)
    .execute()
  if (rows.length === 0) return { sections: 0, words: 0 }
  const counts = new Map<number, { sections: number; entries: number }>()
  let words = 0
  for (const { ordinal, vector } of rows) {
    const { length, occurrences } = decodeVector(vector)
    if (ordinal >= 0) words += length
    for (const [id, occurrence] of occurrences) {
      const count = counts.get(id) ?? { sections: 0, entries: 0 }
      counts.set(id, count)
      count.entries -= 1
      if (ordinal >= 0 && isSectionTerm(occurrence)) count.sections -= 1
    }
  }
  await terms.readIds([...counts.keys()])
  for (const [id, count] of counts) terms.add(id, count)
  await tables.deleteEntries(
    transaction,
    rows.map(({ id }) => id),
  )
  return { sections: rows.filter(({ ordinal }) => ordinal >= 0).length, words }
}

async function numberEntries(
  terms: TermNumbers,
  packs: readonly PackEntries[],
  next: number,
): Promise<{ readonly entries: readonly IndexedEntry[]; readonly added: Totals }> {
  const described = packs.flatMap(({ pack, described: version }) =>
    version === undefined ? [] : [{ pack, version }],
  )
  await terms.readTexts([...new Set(described.flatMap(({ version }) => listTerms(version)))])
  const entries: IndexedEntry[] = []
  const added = { sections: 0, words: 0 }
  for (const { pack, version } of described) {
    for (const { filters } of version.entries)
      for (const filter of filters) terms.keepFilter(terms.numberOf(filter))
    const words = version.words.split('\n')
    for (const [index, text] of splitLines(version.terms).entries())
      terms.addWords(terms.numberOf(text), words[index]!)
    for (const { length, ...entry } of numberPack(version, (text) => terms.numberOf(text))) {
      entries.push({ ...entry, id: next + entries.length, pack })
      const isSection = entry.ordinal >= 0
      for (const [id, occurrence] of entry.occurrences)
        terms.add(id, { sections: isSection && isSectionTerm(occurrence) ? 1 : 0, entries: 1 })
      if (isSection) {
        added.sections += 1
        added.words += length
      }
    }
  }
  return { entries, added }
}

/** An entry whose terms have the numbers of the index, and the words of its text. */
export type NumberedEntry = Omit<IndexedEntry, 'id' | 'pack'> & { readonly length: number }

export function listTerms({ terms, entries }: DescribedVersion): string[] {
  return [...splitLines(terms), ...entries.flatMap(({ filters }) => filters)]
}

/** Returns the entries of a version with the numbers that its terms have in the index. */
export function numberPack(version: DescribedVersion, numberOf: (text: string) => number): NumberedEntry[] {
  const texts = splitLines(version.terms)
  const numbers = texts.map(numberOf)
  const isPair = texts.map(isFullTerm)
  return version.entries.map(({ ordinal, tokens, vector: local, filters }) => {
    const { length, occurrences: positions } = decodeVector(local)
    const occurrences = new Map<number, Occurrence>()
    for (const [position, found] of positions) occurrences.set(numbers[position]!, found)
    const keys = listKeyTerms(positions, (position) => isPair[position]!).map(
      (position) => numbers[position]!,
    )
    const vector = encodeVector({ length, occurrences })
    return { ordinal, tokens, length, occurrences, vector, keys, filters: filters.map(numberOf) }
  })
}

/** Rows of one statement; their columns stay below the parameter limits of both databases. */
const ROWS_PER_STATEMENT = 500

export interface CommittedVersion {
  readonly sequence: number
  readonly described: DescribedVersion
}

export interface PackUpdate extends PackEntries {
  /** `null` hides the pack. */
  readonly latest: number | null
}

/** Indexes those that are the latest of their pack. */
export async function indexCommitted(
  transaction: Queries,
  dialect: Dialect,
  versions: readonly CommittedVersion[],
): Promise<void> {
  const described = new Map(versions.map(({ sequence, described: found }) => [sequence, found]))
  const updates: PackUpdate[] = []
  for (const part of splitParts([...described.keys()], ROWS_PER_STATEMENT)) {
    const rows = await transaction
      .selectFrom('versions')
      .innerJoin('packs', 'packs.number', 'versions.pack')
      .select(['packs.number', 'packs.latest', 'versions.sequence'])
      .where('versions.sequence', 'in', part)
      .orderBy('versions.sequence')
      .execute()
    for (const { number, latest, sequence } of rows)
      if (latest === sequence) updates.push({ pack: number, latest, described: described.get(sequence) })
  }
  await storeOutlines(transaction, versions)
  await updateIndex(transaction, dialect, updates)
}

/**
 * Runs in a transaction that holds the lock of the catalog.
 * @throws CatalogError `catalog_unavailable` for a damaged index, `schema_too_old`
 */
export async function updateIndex(
  transaction: Queries,
  dialect: Dialect,
  updates: readonly PackUpdate[],
): Promise<void> {
  if (updates.length === 0) return
  const tables = indexTables(dialect)
  try {
    await writePacks(transaction, tables, updates)
    await writeTexts(
      transaction,
      updates.map(({ pack, latest, described }) => ({ pack, latest, texts: described?.texts })),
    )
  } catch (error) {
    throw error instanceof RangeError || tables.isDamage(error) ? damagedIndexError(error) : error
  }
}

export async function storeOutlines(
  transaction: Queries,
  versions: readonly CommittedVersion[],
): Promise<void> {
  const rows = versions.map(({ sequence, described }) => ({ sequence, data: described.outline }))
  for (const values of splitParts(rows, ROWS_PER_STATEMENT))
    await transaction.insertInto('outlines').values(values).execute()
}
