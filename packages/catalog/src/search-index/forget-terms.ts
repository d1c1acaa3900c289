import { sql } from 'kysely'
import type { Dialect, Queries } from '../database/database.ts'
import { indexTables } from './create-index-tables.ts'
import { splitLines, type DescribedVersion } from './describe-version.ts'
import { readTerms } from './term-numbers.ts'

/** What the index may have of purged versions alone. */
export interface LostTerms {
  /** Words by the term that they are forms of. */
  readonly words: ReadonlyMap<string, ReadonlySet<string>>
  readonly filters: readonly string[]
}

/** Other packs that are read, and terms that are looked for. */
const MAX_PACKS = 20
const MAX_TERMS = 2000
/** Entries in which a pack is looked for that was not read. */
const MAX_ENTRIES = 100

/**
 * Finds the words that no other pack has, as far as a few packs tell. One that is lost by mistake
 * is only no longer suggested for a wrong spelling, until a pack with it is published.
 * @param describe returns what is shown of a pack once the versions are purged
 */
export async function findLostTerms(
  reads: Queries,
  dialect: Dialect,
  purged: readonly DescribedVersion[],
  pack: number,
  describe: (pack: number) => Promise<DescribedVersion | undefined>,
): Promise<LostTerms> {
  const tables = indexTables(dialect)
  const words = new Map<string, Set<string>>()
  for (const { term, forms } of purged.flatMap(listWords))
    words.set(term, new Set([...(words.get(term) ?? []), ...forms]))
  const visited = new Set<number>()
  const visit = async (number: number): Promise<void> => {
    visited.add(number)
    const described = await describe(number)
    for (const { term, forms } of described ? listWords(described) : [])
      for (const form of forms) words.get(term)?.delete(form)
  }
  await visit(pack)
  const known = await readTerms(reads, tables, [...words.keys()])
  for (const { id, term } of known.slice(0, MAX_TERMS)) {
    const query = { any: [[id]], filters: [], maxTokens: undefined, limit: MAX_ENTRIES }
    while (words.get(term)!.size > 0 && visited.size <= MAX_PACKS) {
      const entries = await tables.findEntries(reads, query)
      const other = entries.find((entry) => !visited.has(entry.pack))
      if (other === undefined) break
      await visit(other.pack)
    }
  }
  const filters = purged.flatMap(({ entries }) => entries.flatMap((entry) => entry.filters))
  return { words, filters: [...new Set(filters)] }
}

function listWords({ terms, words }: DescribedVersion): { term: string; forms: string[] }[] {
  const forms = words.split('\n')
  return splitLines(terms).map((term, at) => ({
    term,
    forms: forms[at]!.split(' ').filter((form) => form !== ''),
  }))
}

/** Deletes terms without entries, and words and filters of purged versions, after their entries. */
export async function forgetTerms(transaction: Queries, dialect: Dialect, lost: LostTerms): Promise<void> {
  const tables = indexTables(dialect)
  await transaction.deleteFrom('search_terms').where('entries', '=', 0).execute()
  for (const { id, term, word } of await readTerms(transaction, tables, [...lost.words.keys()])) {
    const left = word.split(' ').filter((one) => !lost.words.get(term)!.has(one))
    if (left.join(' ') !== word)
      await sql`update search_terms set word = ${left.join(' ')} where id = ${id}`.execute(transaction)
  }
  for (const { id } of await readTerms(transaction, tables, lost.filters)) {
    const query = { any: [[id]], filters: [], maxTokens: undefined, limit: 1 }
    if ((await tables.findEntries(transaction, query)).length === 0)
      await transaction.deleteFrom('search_terms').where('id', '=', id).execute()
  }
}
