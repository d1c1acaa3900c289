import type { ParsedQuery } from '../query/parse-query.ts'
import { resolveQuery, type ResolvedQuery } from '../query/resolve-query.ts'
import type { SearchStore, TextReader } from '../store.ts'
import { findCandidates, rankPacks, type RankedPack } from './rank-packs.ts'
import { createScorer, type Scorer } from './score-entry.ts'

/** Packs that match a query, best first. */
export interface Ranking {
  readonly resolved: ResolvedQuery
  readonly scorer: Scorer
  readonly packs: readonly RankedPack[]
}

export interface RankFilters {
  readonly domain?: string | undefined
  readonly difficulty?: string | undefined
  /** Maximum tokens of an entry. */
  readonly maxTokens?: number | undefined
  /** Numbers of the packs to rank. @default all */
  readonly packs?: readonly number[] | undefined
}

/** Maximum number of packs to search for phrases. */
const MAX_PACKS_WITH_PHRASES = 60
/** Maximum number of entries to rank if only some packs are searched. */
const MAX_ENTRIES = 20_000

/**
 * Ranks the packs whose text, as far as the reader may see it, contains all phrases of the query.
 * If none has all words, tries again with rare words treated as misspellings.
 */
export async function rankQuery(
  store: SearchStore,
  texts: TextReader,
  parsed: ParsedQuery,
  { domain, difficulty, maxTokens, packs: numbers }: RankFilters,
): Promise<Ranking> {
  const rankResolved = async (resolved: ResolvedQuery): Promise<Ranking> => {
    const scorer = createScorer(resolved)
    const candidates =
      numbers === undefined
        ? await findCandidates(store, resolved, maxTokens)
        : await store.readEntries(numbers, Math.floor(MAX_ENTRIES / Math.max(1, numbers.length)))
    return { resolved, scorer, packs: await rankPacks(store, parsed, { scorer, candidates, maxTokens }) }
  }
  const resolved = await resolveQuery(store, parsed, { domain, difficulty })
  let ranking = await rankResolved(resolved)
  const isFound = ranking.packs.some(({ entries }) => entries.some(({ hasAll }) => hasAll))
  if (!isFound && resolved.corrected === null && resolved.hasRare) {
    const repaired = await resolveQuery(store, parsed, { domain, difficulty, repairRare: true })
    if (repaired.corrected !== null) ranking = await rankResolved(repaired)
  }
  if (parsed.phrases.length === 0) return ranking
  return { ...ranking, packs: await keepPhrases(store, texts, ranking.packs, parsed) }
}

/**
 * Keeps the sections whose text, as far as the reader may see it, contains all phrases, and the
 * packs whose title does.
 */
async function keepPhrases(
  store: SearchStore,
  texts: TextReader,
  packs: readonly RankedPack[],
  { phrases, scope }: ParsedQuery,
): Promise<readonly RankedPack[]> {
  const ranked = new Map(packs.slice(0, MAX_PACKS_WITH_PHRASES).map(({ pack, entries }) => [pack, entries]))
  const kept: RankedPack[] = []
  for (const pack of await store.readPacks([...ranked.keys()])) {
    const entries = ranked.get(pack.number) ?? []
    const ordinals = entries.map(({ ordinal }) => ordinal)
    const found = await texts.match(pack, { ordinals, phrases, terms: new Map(), scope })
    const matching = new Set(found.filter(({ hasPhrases }) => hasPhrases).map(({ ordinal }) => ordinal))
    const rest = entries.filter(({ ordinal }) => matching.has(ordinal))
    if (rest.length > 0) kept.push({ pack: pack.number, entries: rest })
  }
  return kept
}
