import type { ResolvedQuery } from '../query/resolve-query.ts'
import type { EntryRow, SearchStore } from '../store.ts'

/** Terms that an entry must all have: the rarest ones. With more, a database reads long lists to find few entries or none. */
const MAX_TERMS = 4
/** Entries that a query for several terms at once returns. */
const MAX_JOINT = 200
/** Entries that single terms may be in, all together. */
const MAX_SINGLE = 600
/** Entries that synonyms may be in, all together. */
const MAX_SYNONYMS = 300
/** Common terms that are searched in pairs. */
const MAX_PAIRED = 4

/**
 * Finds the entries to rank: those that have all words, then those that have the rarest ones.
 *
 * Terms that are in very many entries are searched as key terms, or in pairs, so that the work is bounded in a catalog of any size.
 */
export async function findCandidates(
  store: SearchStore,
  query: ResolvedQuery,
  maxTokens: number | undefined,
): Promise<readonly EntryRow[]> {
  const { filters } = query
  if (filters === null || query.weights.size === 0) return []
  const found = new Map<string, EntryRow>()
  const find = async (any: readonly (readonly number[])[], limit: number): Promise<void> => {
    if (any.length === 0) return
    for (const row of await store.findEntries({ any, filters, maxTokens, limit }))
      found.set(`${row.pack} ${row.ordinal}`, row)
  }
  const count = (term: number): number => query.sections.get(term) ?? 0
  const rarest = (terms: Iterable<number>): number[] =>
    [...terms].toSorted((a, b) => count(a) - count(b) || a - b)
  const parts = query.words.map(({ forms }) => forms.findLast(({ share }) => share === 1)?.terms ?? [])
  const all = rarest(new Set(parts.flat().filter((term) => term > 0))).slice(0, MAX_TERMS)
  if (all.length > 0) await find([all], MAX_JOINT)
  // Common words: the newest entries that have them all, and the newest that are mostly about them.
  if (found.size >= MAX_JOINT) await find([all.map((term) => -term)], MAX_JOINT)
  // Each term alone, the rarest first, while they are in few entries.
  const terms = rarest(query.weights.keys())
  const single = takeWithin(terms, count, MAX_SINGLE)
  const synonyms = takeWithin(rarest(listSynonyms(query)), count, MAX_SYNONYMS)
  await find(
    [...single, ...synonyms].map((term) => [term]),
    2 * (MAX_SINGLE + MAX_SYNONYMS),
  )
  if (found.size >= MAX_JOINT) return [...found.values()]
  // Terms that are in too many entries: two of them together, or each where the entry is mostly about it.
  const rest = terms.slice(single.length, single.length + MAX_PAIRED)
  const pairs = rest.flatMap((a, index) => rest.slice(index + 1).map((b) => [a, b]))
  await find(pairs, MAX_JOINT)
  if (found.size < MAX_JOINT)
    await find(
      rest.map((term) => [-term]),
      MAX_JOINT,
    )
  return [...found.values()]
}

/** Returns the synonyms that have a single term. */
function listSynonyms({ substitutes, weights }: ResolvedQuery): Set<number> {
  const terms = [...substitutes.values()]
    .flat()
    .flatMap((form) => (form.terms.length === 1 ? form.terms : []))
  return new Set(terms.filter((term) => !weights.has(term)))
}

function takeWithin(terms: readonly number[], count: (term: number) => number, room: number): number[] {
  let left = room
  const end = terms.findIndex((term) => (left -= count(term)) < 0)
  return end < 0 ? [...terms] : terms.slice(0, end)
}
