import type { ReadingScope } from '../analysis/terms.ts'
import type { RankedEntry } from '../ranking/rank-packs.ts'
import type { Ranking } from '../ranking/rank-query.ts'
import type { SearchStore, TextReader } from '../store.ts'
import { findHeadingEnd } from '../text/match-text.ts'
import { type Candidate, isCopy, listShingles } from './choose-passages.ts'
import type { ContextOptions, OmittedSection } from './types.ts'

/** Sections that are considered, and that are read at once. */
const MAX_CANDIDATES = 200
const MIN_READ = 12
/** How many times the budget is read. */
const READ_FACTOR = 3

type Ranked = Omit<Candidate, 'text' | 'shingles' | 'contributions'> & Pick<RankedEntry, 'row'>

interface ReadCandidates {
  /** Best first. */
  readonly candidates: readonly Candidate[]
  readonly omitted: readonly (Omit<OmittedSection, 'reason'> & {
    readonly score: number
    readonly reason: OmittedSection['reason']
  })[]
}

/** Reads the best sections: more than fit the budget, so that there is a choice. */
export async function readCandidates(
  rankings: readonly [Ranking, ...Ranking[]],
  store: SearchStore,
  texts: TextReader,
  { budget, measure, count = measure, scope, domain }: ContextOptions,
): Promise<ReadCandidates> {
  const [{ scorer }] = rankings
  const candidates: Candidate[] = []
  const omitted: ReadCandidates['omitted'][number][] = []
  const known: ReadonlySet<string>[] = []
  let tokens = 0
  for (const entries of divideEntries(mergeRankings(rankings))) {
    if (tokens >= READ_FACTOR * budget) break
    const part = await readRanked(entries, store, domain)
    const read = await readTexts(part, texts, scope)
    for (const candidate of part) {
      const text = read.get(candidate.pack.number)?.get(candidate.ordinal)
      if (text !== undefined && text.slice(findHeadingEnd(text)).trim() === '') continue
      if (text === undefined) {
        omitted.push({ ...candidate, reason: 'locked' })
        continue
      }
      // Indexes of files hold no counts.
      const section = { ...candidate.section, tokens: candidate.section.tokens || count(text) }
      const shingles = listShingles(text)
      if (known.some((other) => isCopy(shingles, other))) {
        omitted.push({ ...candidate, section, reason: 'duplicate' })
        continue
      }
      known.push(shingles)
      const contributions = scorer.contribute(candidate.row)
      candidates.push({ ...candidate, section, text, shingles, contributions })
      tokens += section.tokens
    }
  }
  return { candidates, omitted }
}

/** Returns the best sections of several rankings, each with its best score. */
function mergeRankings(rankings: readonly Ranking[]): readonly RankedEntry[] {
  const best = new Map<string, RankedEntry>()
  for (const entry of rankings.flatMap(({ packs }) => packs).flatMap(({ entries }) => entries)) {
    const name = `${entry.pack} ${entry.ordinal}`
    if (entry.ordinal >= 0 && entry.score > (best.get(name)?.score ?? 0)) best.set(name, entry)
  }
  const ranked = [...best.values()].toSorted((a, b) => b.score - a.score).slice(0, MAX_CANDIDATES)
  return ranked.map((entry) => ({ ...entry, score: roundScore(entry.score) }))
}

/** Divides entries into parts to read at once. Those with the same score stay together. */
function* divideEntries(entries: readonly RankedEntry[]): Generator<readonly RankedEntry[], void, undefined> {
  for (let [start, end] = [0, 0]; start < entries.length; start = end) {
    end = start + MIN_READ
    while (end < entries.length && entries[end]!.score === entries[end - 1]!.score) end++
    yield entries.slice(start, end)
  }
}

/** Reads the packs of entries. Entries with the same score are ordered by pack and position. */
async function readRanked(
  entries: readonly RankedEntry[],
  store: SearchStore,
  domain: string | undefined,
): Promise<readonly Ranked[]> {
  const found = await store.readPacks([...new Set(entries.map(({ pack }) => pack))])
  const byNumber = new Map(found.map((pack) => [pack.number, pack]))
  const ranked = entries.flatMap(({ pack: number, ordinal, score, row }): Ranked | [] => {
    const pack = byNumber.get(number)
    const section = pack?.sections[ordinal]
    if (section === undefined || (domain !== undefined && pack!.domain_slug !== domain)) return []
    return { pack: pack!, ordinal, section, score, row }
  })
  return ranked.toSorted(compareRanked)
}

async function readTexts(
  part: readonly Ranked[],
  texts: TextReader,
  scope: ReadingScope,
): Promise<ReadonlyMap<number, ReadonlyMap<number, string>>> {
  const groups = [...Map.groupBy(part, ({ pack }) => pack.number).values()]
  const read = groups.map(async (group) => {
    const ordinals = group.map(({ ordinal }) => ordinal)
    return [group[0]!.pack.number, await texts.read(group[0]!.pack, ordinals, scope)] as const
  })
  return new Map(await Promise.all(read))
}

/** Rounded, so that no result depends on the last bit of a sum. */
function roundScore(score: number): number {
  return Math.round(score * 10_000) / 10_000
}

function compareRanked(a: Ranked, b: Ranked): number {
  return (
    b.score - a.score ||
    (a.pack.slug < b.pack.slug ? -1 : a.pack.slug > b.pack.slug ? 1 : a.ordinal - b.ordinal)
  )
}
