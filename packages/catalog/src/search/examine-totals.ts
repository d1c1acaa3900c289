import { decodeVector, isSectionTerm } from '@packs/search'
import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../database/database.ts'
import { readIndexState } from '../search-index/write-packs.ts'

const ROWS_PER_QUERY = 2000

/** Returns what differs in totals and entries; repeated if a commit comes in between. */
export async function examineTotals(database: Database): Promise<readonly string[]> {
  const { reads } = database
  const before = await readIndexState(reads)
  const names = [...(await examinePacks(database)), ...(await examineCounts(database))]
  const after = await readIndexState(reads)
  return before?.next_entry === after?.next_entry && before?.sections === after?.sections
    ? names
    : examineTotals(database)
}

/** Entries of packs that are not shown, and packs without entries. */
async function examinePacks({ reads }: Database): Promise<string[]> {
  const finds = async (query: RawBuilder<unknown>): Promise<boolean> =>
    (await query.execute(reads)).rows.length > 0
  const isExcess = await finds(sql`select 1 from search_entries e left join packs p on p.number = e.pack
    where p.number is null or p.latest is null limit 1`)
  const isMissing = await finds(sql`select 1 from packs p where p.latest is not null
    and not exists (select 1 from search_entries e where e.pack = p.number and e.ordinal = -1) limit 1`)
  return [...(isExcess ? ['search_entries.pack'] : []), ...(isMissing ? ['packs.latest'] : [])]
}

/** Compares totals and the counts of terms with the vectors of all entries. */
async function examineCounts({ reads }: Database): Promise<string[]> {
  const counts = new Map<number, { sections: number; entries: number }>()
  const total = { sections: 0, words: 0 }
  let isReadable = true
  const entries = (after: number) =>
    reads
      .selectFrom('search_entries')
      .select(['id', 'ordinal', 'vector'])
      .where('id', '>', after)
      .orderBy('id')
  for await (const row of readAll((after) => entries(after).limit(ROWS_PER_QUERY).execute()))
    isReadable = countEntry(row, counts, total) && isReadable
  const state = await readIndexState(reads)
  const wrong = new Set(isReadable ? [] : ['search_entries.vector'])
  if (state?.sections !== total.sections) wrong.add('search_state.sections')
  if (state?.words !== total.words) wrong.add('search_state.words')
  const terms = (after: number) =>
    reads
      .selectFrom('search_terms')
      .select(['id', 'sections', 'entries'])
      .where('id', '>', after)
      .orderBy('id')
  for await (const term of readAll((after) => terms(after).limit(ROWS_PER_QUERY).execute())) {
    const found = counts.get(term.id)
    counts.delete(term.id)
    if ((found?.sections ?? 0) !== term.sections) wrong.add('search_terms.sections')
    // Filters are in no vector, and have 1.
    if (found === undefined ? term.entries > 1 : found.entries !== term.entries)
      wrong.add('search_terms.entries')
  }
  if (counts.size > 0) wrong.add('search_terms.id')
  return [...wrong]
}

/** @param read reads the first rows after one, in the order of their ids */
async function* readAll<Row extends { readonly id: number }>(
  read: (after: number) => Promise<readonly Row[]>,
): AsyncGenerator<Row> {
  for (let rows = await read(0); rows.length > 0; rows = await read(rows.at(-1)!.id)) yield* rows
}

function countEntry(
  { ordinal, vector }: { readonly ordinal: number; readonly vector: Uint8Array },
  counts: Map<number, { sections: number; entries: number }>,
  total: { sections: number; words: number },
): boolean {
  const isSection = ordinal >= 0
  try {
    const { length, occurrences } = decodeVector(vector)
    if (isSection) total.words += length
    for (const [id, occurrence] of occurrences) {
      let count = counts.get(id)
      if (count === undefined) counts.set(id, (count = { sections: 0, entries: 0 }))
      count.entries += 1
      if (isSection && isSectionTerm(occurrence)) count.sections += 1
    }
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  } finally {
    if (isSection) total.sections += 1
  }
  return true
}
