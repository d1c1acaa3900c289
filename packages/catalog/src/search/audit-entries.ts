import type { Database } from '../database/dialect.ts'
import type { PackTable } from '../database/schema.ts'
import { tryToDescribeStored } from '../packs/describe-stored.ts'
import { findPack, findVersion } from '../packs/find-pack.ts'
import { splitLines, type DescribedVersion } from '../search-index/describe-version.ts'
import { indexTables } from '../search-index/create-index-tables.ts'
import { encodeOutline } from '../search-index/outline-data.ts'
import { readTerms } from '../search-index/term-numbers.ts'
import { numberPack, type NumberedEntry } from '../search-index/write-packs.ts'
import { readStoredOutline } from './read-outline.ts'

/**
 * Compares what is stored for a version with what its document gives: its outline, and if it is the latest one, its entries.
 * Returns the names of what differs, such as `search_entries.vector`; none for an unknown or unreadable version, or a pack that
 * waits to be indexed.
 */
export async function auditEntries(
  database: Database,
  slug: string,
  version: string,
): Promise<readonly string[]> {
  const { reads } = database
  const pack = await findPack(reads, slug)
  const row = pack && (await findVersion(reads, pack, version))
  const described = row && (await tryToDescribeStored(reads, row.sequence))
  if (described === undefined) return []
  const outline = await readStoredOutline(database, row!.sequence)
  const isRight = outline === undefined ? undefined : encodeOutline(outline) === described.outline
  const isIndexed = pack!.indexed === row!.sequence && pack!.latest === row!.sequence
  const entries = isIndexed ? await compareEntries(database, pack!, described) : []
  const after = await findPack(reads, slug)
  // The rows are read one after another, so a change in between would look like damage.
  if (after?.sequence !== pack!.sequence || after.indexed !== pack!.indexed)
    return auditEntries(database, slug, version)
  // An outline that is missing is derived when it is read.
  const isMissing = outline === undefined && isIndexed
  return [...(isRight === false || isMissing ? ['outlines.data'] : []), ...entries]
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
