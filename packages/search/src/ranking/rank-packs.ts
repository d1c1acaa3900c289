import { groupBy } from '@packs/codec/internal'
import { foldText } from '../analysis/terms.ts'
import type { ParsedQuery } from '../query/parse-query.ts'
import { type ResolvedQuery, resolveQuery } from '../query/resolve-query.ts'
import type { EntryRow, SearchStore, TextReader } from '../store.ts'
import { type EntryScore, type Scorer, createScorer } from './score-entry.ts'

/** A section, or a pack as a whole, with its score. */
export interface RankedEntry extends Omit<EntryScore, 'isInTitle'> {
  /** Number of the pack. */
  readonly pack: number
  /** Index of the section; -1 for the pack as a whole. */
  readonly ordinal: number
  readonly score: number
  readonly row: EntryRow
}

/** The ranked entries of a pack, best first. */
export interface RankedPack {
  readonly pack: number
  readonly entries: readonly RankedEntry[]
}

/** The share of a whole pack's score that is added to its sections. */
const PACK_SHARE = 0.3
/** Factors for packs whose title or slug contains all words of the query, or is the query. */
const IN_TITLE = 1.1
const IS_TITLE = 2
/** A pack whose title is meant comes as a whole, just before its best section. */
const BEFORE_SECTIONS = 1.001

/** Maximum number of packs with all their sections ranked. */
const MAX_PACKS = 10
/** Maximum number of ranked sections of one pack. */
const MAX_ENTRIES_OF_PACK = 300
/** Maximum number of packs in a result. */
const MAX_RANKED = 500

interface RankInput {
  readonly scorer: Scorer
  readonly candidates: readonly EntryRow[]
  /** Numbers of the packs whose title is the query. They come first. */
  readonly meant: readonly number[]
  readonly maxTokens: number | undefined
}

/** Scores a section plus a share of its pack. A title with all words ranks higher. */
export async function rankPacks(
  store: SearchStore,
  { scorer, candidates, meant, maxTokens = Infinity }: RankInput,
): Promise<readonly RankedPack[]> {
  const scored = new Map<string, ScoredEntry>()
  const add = (row: EntryRow): void => {
    const key = `${row.pack} ${row.ordinal}`
    if (scored.has(key)) return
    const found = scorer.score(row)
    if (found.score > 0) scored.set(key, { ...found, row })
  }
  for (const row of candidates) add(row)
  const found = findBestPacks(scored.values())
  const best = [...new Set([...meant.filter((pack) => found.includes(pack)), ...found])]
  for (const row of await store.readEntries(best.slice(0, MAX_PACKS), MAX_ENTRIES_OF_PACK)) add(row)
  const groups = groupBy(scored.values(), ({ row }) => row.pack)
  const ranked = best
    .slice(0, MAX_RANKED)
    .map((pack) => {
      const group = groups.get(pack)!
      const factor = meant.includes(pack) ? IS_TITLE : group.some(({ isInTitle }) => isInTitle) ? IN_TITLE : 1
      return { pack, entries: rankEntries(group, factor, maxTokens) }
    })
    .filter(({ entries }) => entries.length > 0)
  const others = ranked.filter(({ pack }) => !meant.includes(pack))
  const most = Math.max(0, ...others.map(({ entries }) => entries[0]!.score))
  return ranked
    .map(({ pack, entries }) => {
      const factor = meant.includes(pack) ? Math.max(1, (BEFORE_SECTIONS * most) / entries[0]!.score) : 1
      return { pack, entries: entries.map((entry) => ({ ...entry, score: factor * entry.score })) }
    })
    .toSorted((a, b) => b.entries[0]!.score - a.entries[0]!.score || a.pack - b.pack)
}

type ScoredEntry = EntryScore & { readonly row: EntryRow }

function findBestPacks(entries: Iterable<ScoredEntry>): number[] {
  const best = new Map<number, number>()
  for (const { row, score } of entries) best.set(row.pack, Math.max(best.get(row.pack) ?? 0, score))
  return [...best].toSorted((a, b) => b[1] - a[1] || a[0] - b[0]).map(([pack]) => pack)
}

/** Finds packs and sections whose name may be the query: another one may have the same hash. */
async function findNamed(
  store: SearchStore,
  { names, filters }: ResolvedQuery,
): Promise<readonly EntryRow[]> {
  if (filters === null) return []
  const find = (term: number): Promise<readonly EntryRow[]> =>
    store.findEntries({ any: [[term]], filters, maxTokens: undefined, limit: MAX_JOINT })
  return (await Promise.all(names.map(find))).flat()
}

/** Returns the packs of entries whose title or slug is the query. */
async function findMeantPacks(
  store: SearchStore,
  { text }: ParsedQuery,
  named: readonly EntryRow[],
): Promise<readonly number[]> {
  const packs = named.filter(({ ordinal }) => ordinal < 0).map(({ pack }) => pack)
  if (packs.length === 0) return []
  const words = foldText(text)
  const found = await store.readPacks(packs)
  const meant = found.filter(({ title, slug }) => words === foldText(title) || words === foldText(slug))
  return meant.map(({ number }) => number)
}

/** @param factor Above 1 if the title is meant, so that the pack as a whole is a hit too. */
function rankEntries(
  group: readonly ScoredEntry[],
  factor: number,
  maxTokens: number,
): readonly RankedEntry[] {
  const affordable = group.filter(({ row }) => row.tokens <= maxTokens)
  const whole = group.find(({ row }) => row.ordinal < 0)
  const share = PACK_SHARE * (whole?.score ?? 0)
  const show = (entry: ScoredEntry, score: number): RankedEntry => {
    return { ...entry, pack: entry.row.pack, ordinal: entry.row.ordinal, score }
  }
  const sections = affordable
    .filter(({ row }) => row.ordinal >= 0)
    .map((entry) => show(entry, factor * (entry.score + share)))
    .toSorted((a, b) => b.score - a.score || a.ordinal - b.ordinal)
  if (factor === 1 || whole === undefined || !affordable.includes(whole)) return sections
  return [show(whole, BEFORE_SECTIONS * (sections[0]?.score ?? factor * whole.score)), ...sections]
}

/** Rarest terms that an entry must have. More would read long lists to find few entries. */
const MAX_TERMS = 4
/** Maximum number of entries that a query for several terms at once returns. */
const MAX_JOINT = 200
/** Maximum number of entries that all single terms together may be in. */
const MAX_SINGLE = 600
/** Maximum number of entries that all synonyms together may be in. */
const MAX_SYNONYMS = 300
/** Maximum number of common terms to search in pairs. */
const MAX_PAIRED = 4

/**
 * Those with all words, then those with the rarest ones. Terms in very many entries are searched as
 * key terms or in pairs, so that the work is bounded in a catalog of any size.
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
  // Common words: besides the newest entries that have them all, the newest that are mostly about them.
  if (found.size >= MAX_JOINT) await find([all.map((term) => -term)], MAX_JOINT)
  // Each term alone, rarest first, as long as they are in few entries.
  const terms = rarest(query.weights.keys())
  const single = takeWithin(terms, count, MAX_SINGLE)
  const synonyms = takeWithin(rarest(listSynonyms(query)), count, MAX_SYNONYMS)
  await find(
    [...single, ...synonyms].map((term) => [term]),
    2 * (MAX_SINGLE + MAX_SYNONYMS),
  )
  if (found.size >= MAX_JOINT) return [...found.values()]
  // Terms in too many entries: in pairs, or each in entries that are mostly about it.
  const rest = terms.slice(single.length, single.length + MAX_PAIRED)
  const pairs = rest.flatMap((a, index) => rest.slice(index + 1).map((b) => [a, b]))
  await find(pairs, MAX_JOINT)
  const mostly = rest.map((term) => [-term])
  if (found.size < MAX_JOINT) await find(mostly, MAX_JOINT)
  return [...found.values()]
}

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

/** Packs that match a query, best first. */
export interface Ranking {
  readonly resolved: ResolvedQuery
  readonly scorer: Scorer
  readonly packs: readonly RankedPack[]
  /** How well the best section matches the query. */
  readonly match: Match
  /** Whether words match only in another spelling. */
  readonly isOnlyRepaired: boolean
}

export type Match = 'good' | 'partial' | 'none'

/**
 * Least evidence of a good match and of a partial one: the share of the weight of a query that a
 * section has. It says more for a query of more words, and less among more sections, where some
 * words meet by chance. Chosen on six sets of questions with and without an answer, of which
 * `pnpm bench:search` has two.
 */
const GOOD = 0.52
const PARTIAL = 0.17
const WORDS_POWER = 0.2
const SECTIONS_FACTOR = 0.12
const MAX_SECTIONS = 10_000
/** Sections from the best on, one of which is to match. */
const JUDGED = 3

function judgeMatch(
  packs: readonly RankedPack[],
  meant: readonly number[],
  parsed: ParsedQuery,
  { words: resolved, totals }: ResolvedQuery,
): Pick<Ranking, 'match' | 'isOnlyRepaired'> {
  const entries = packs.flatMap((pack) => pack.entries)
  const isOnlyRepaired = entries.length > 0 && entries.every((entry) => entry.isOnlyRepaired)
  if (isOnlyRepaired) return { match: 'none', isOnlyRepaired }
  if (entries.some(({ pack }) => meant.includes(pack))) return { match: 'good', isOnlyRepaired }
  const sections = entries.filter(({ ordinal }) => ordinal >= 0).toSorted((a, b) => b.score - a.score)
  const coverages = sections.slice(0, JUDGED).map(({ coverage }) => coverage)
  // A word of a run has about two pairs of characters.
  const sizes = parsed.words.map(({ kind, parts }) => (kind === 'word' ? 1 : Math.max(1, parts.length / 2)))
  const words = sizes.reduce((sum, size) => sum + size, 0)
  const chance = SECTIONS_FACTOR * Math.log10(Math.min(Math.max(1, totals.sections), MAX_SECTIONS))
  const evidence = Math.max(0, ...coverages) * words ** WORDS_POWER - chance
  if (evidence < PARTIAL) return { match: 'none', isOnlyRepaired }
  // What is said of an identifier is said of no other, however much the rest matches.
  const isGood = evidence >= GOOD && !resolved.some(({ isMissing }) => isMissing)
  return { match: isGood ? 'good' : 'partial', isOnlyRepaired }
}

interface RankFilters {
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

/** Keeps packs whose visible text has all phrases; repairs rare words if none has all words. */
export async function rankQuery(
  store: SearchStore,
  texts: TextReader,
  parsed: ParsedQuery,
  { domain, difficulty, maxTokens, packs: numbers }: RankFilters,
): Promise<Ranking> {
  let meant: readonly number[] = []
  const rankResolved = async (resolved: ResolvedQuery) => {
    const scorer = createScorer(resolved)
    const found = await findNamed(store, resolved)
    const named = numbers === undefined ? found : found.filter(({ pack }) => numbers.includes(pack))
    meant = await findMeantPacks(store, parsed, named)
    const others =
      numbers === undefined
        ? await findCandidates(store, resolved, maxTokens)
        : await store.readEntries(numbers, Math.floor(MAX_ENTRIES / Math.max(1, numbers.length)))
    const candidates = [...named, ...others]
    return { resolved, scorer, packs: await rankPacks(store, { scorer, candidates, meant, maxTokens }) }
  }
  const resolved = await resolveQuery(store, parsed, { domain, difficulty })
  let ranking = await rankResolved(resolved)
  const isFound = ranking.packs.some(({ entries }) => entries.some(({ hasAll }) => hasAll))
  if (!isFound && resolved.corrected === null && resolved.hasRare) {
    const repaired = await resolveQuery(store, parsed, { domain, difficulty, repairRare: true })
    if (repaired.corrected !== null) ranking = await rankResolved(repaired)
  }
  const kept =
    parsed.phrases.length === 0 ? ranking.packs : await keepPhrases(store, texts, ranking.packs, parsed)
  return { ...ranking, packs: kept, ...judgeMatch(kept, meant, parsed, ranking.resolved) }
}

/** Keeps sections whose visible text has all phrases, and packs whose title does. */
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
