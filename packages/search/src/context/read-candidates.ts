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
  const entries = mergeRankings(rankings)
  const found = await store.readPacks([...new Set(entries.map(({ pack }) => pack))])
  const byNumber = new Map(found.map((pack) => [pack.number, pack]))
  const ranked = entries.flatMap((entry): Ranked | [] => {
    const pack = byNumber.get(entry.pack)
    const section = pack?.sections[entry.ordinal]
    if (section === undefined || (domain !== undefined && pack!.domain_slug !== domain)) return []
    return { pack: pack!, ordinal: entry.ordinal, section, score: roundScore(entry.score), row: entry.row }
  })
  ranked.sort(compareRanked)
  const candidates: Candidate[] = []
  const omitted: ReadCandidates['omitted'][number][] = []
  const known: ReadonlySet<string>[] = []
  let tokens = 0
  for (let start = 0; start < ranked.length && tokens < READ_FACTOR * budget; start += MIN_READ) {
    const part = ranked.slice(start, start + MIN_READ)
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
  return [...best.values()].toSorted((a, b) => b.score - a.score).slice(0, MAX_CANDIDATES)
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
