import { checkQuery, parseQuery } from '../query/parse-query.ts'
import { showCorrection } from '../query/resolve-query.ts'
import { rankQuery, type Ranking, type RankedEntry } from '../ranking/rank-packs.ts'
import type { SearchStore, TextReader } from '../store.ts'
import { type Candidate, coverTerms, isCopy, isDuplicate, isWeak, listShingles } from './choose-passages.ts'
import { findLeft, fitPassages, Fitter } from './fit-passages.ts'
import type { Context, ContextOptions, OmittedSection } from './types.ts'
import type { ReadingScope } from '../analysis/terms.ts'
import { findHeadingEnd } from '../text/match-text.ts'
import { groupBy, type LinkedText, writeLinks, writeNotes } from '@packs/codec/internal'
import { type Notes, writePath } from './write-passages.ts'

const MAX_OMITTED = 10
/**
 * Returns the passages that answer a question within a budget of tokens. The same index, program
 * and options give the same text.
 * @throws RangeError as `checkQuery` does
 */
export async function composeContext(
  question: string,
  options: ContextOptions,
  store: SearchStore,
  texts: TextReader,
): Promise<Context> {
  checkQuery(question)
  const { measure, scope, domain, packs } = options
  const parsed = parseQuery(question, scope)
  const numbers = packs && (await store.findPacks(packs))
  const filters = { domain, packs: numbers }
  const ranking = await rankQuery(store, texts, parsed, filters)
  const { resolved, match, isOnlyRepaired } = ranking
  const clauses = parsed.phrases.length > 0 ? [] : listClauses(resolved.corrected ?? question)
  const parts = await Promise.all(
    clauses.map((clause) => rankQuery(store, texts, parseQuery(clause, scope), filters)),
  )
  const { candidates, omitted } = await readCandidates([ranking, ...parts], store, texts, options)
  const show = (shown: readonly string[]): string | null =>
    showCorrection(resolved, scope, [...shown, ...omitted.flatMap(({ section }) => section.path)])
  const writeEmpty = (...notes: Notes): Pick<Context, 'text' | 'tokens'> => {
    const text = writeNotes(...notes)
    return { text, tokens: measure(text) }
  }
  if (isOnlyRepaired) {
    const corrected = show(candidates.flatMap(({ text }) => text))
    const notes: Notes = corrected === null ? [[], 'empty'] : [resolved.repairs, 'respelt']
    return { ...NOTHING, ...writeEmpty(...notes), corrected }
  }
  const fitter = new Fitter(candidates, { terms: resolved.terms, scope }, options)
  let fitted = fitPassages(candidates, fitter, [resolved.repairs, match])
  const corrected = show(fitted.passages.map((passage) => passage.text))
  // The words that were searched for may be beyond what the reader may see.
  if (corrected === null && resolved.repairs.length > 0) fitted = fitPassages(candidates, fitter, [[], match])
  const { chosen, passages, text, links, needed } = fitted
  const covered = coverTerms(chosen)
  const left = findLeft(candidates, chosen).map(({ isTaken, ...candidate }): Omitted => {
    const isRepeated = chosen.some(({ shingles }) => isDuplicate(shingles, candidate.shingles))
    if (!isTaken && isRepeated) return { ...candidate, reason: 'duplicate' }
    return { ...candidate, reason: !isTaken && isWeak(candidate, covered, candidates) ? 'weak' : 'budget' }
  })
  const isEmpty = passages.length === 0 && needed === null
  const empty = omitted.some(({ reason }) => reason === 'locked') ? 'locked' : 'empty'
  return {
    ...(isEmpty ? writeEmpty([], empty) : { text, tokens: text === '' ? 0 : measure(text) }),
    links,
    passages: passages.map(({ tagged, ...passage }) => ({ ...passage, tokens: measure(tagged) })),
    omitted: [...omitted, ...left]
      .toSorted((a, b) => b.score - a.score)
      .slice(0, MAX_OMITTED)
      .map(({ pack, section, score, reason }) => ({
        pack,
        section,
        score,
        reason,
        path: writePath(pack, section.path),
      })),
    match: isEmpty ? 'none' : match,
    corrected,
    needed,
  }
}

const NOTHING = { links: {}, passages: [], omitted: [], match: 'none', needed: null } as const

/** Where a question is divided into parts, which are then asked for by themselves too. */
const DIVIDERS = /[?;？；]|,?\s(?:and|und)\s(?:also\s)?|以及|还有|および/i
const [MIN_WORDS, MAX_CLAUSES] = [2, 3]

/** Returns the parts of a question with several parts; none for any other. */
function listClauses(question: string): readonly string[] {
  const hasWords = (clause: string): boolean => parseQuery(clause, 'full').words.length >= MIN_WORDS
  const clauses = question.split(DIVIDERS).filter(hasWords)
  return clauses.length < 2 ? [] : clauses.slice(0, MAX_CLAUSES)
}

/** Sections that are considered, and that are read at once. */
const MAX_CANDIDATES = 200
const MIN_READ = 12
/** How many times the budget is read. */
const READ_FACTOR = 3

type Ranked = Omit<Candidate, 'text' | 'linked' | 'shingles' | 'contributions'> & Pick<RankedEntry, 'row'>

type Omitted = Omit<OmittedSection, 'path'>

/** Reads the best sections, best first: more than fit the budget, so that there is a choice. */
async function readCandidates(
  rankings: readonly [Ranking, ...Ranking[]],
  store: SearchStore,
  texts: TextReader,
  { budget, measure, scope, domain, links: form = 'number' }: ContextOptions,
): Promise<{ readonly candidates: readonly Candidate[]; readonly omitted: readonly Omitted[] }> {
  const [{ scorer }] = rankings
  const candidates: Candidate[] = []
  const omitted: Omitted[] = []
  const known: ReadonlySet<string>[] = []
  let tokens = 0
  for (const entries of divideEntries(mergeRankings(rankings))) {
    if (tokens >= READ_FACTOR * budget) break
    const part = await readRanked(entries, store, domain)
    const read = await readTexts(part, texts, scope)
    for (const candidate of part) {
      const found = read.get(candidate.pack.number)?.get(candidate.ordinal)
      const text = found && writeLinks(found.text, found.links, form, found)
      if (text !== undefined && text.slice(findHeadingEnd(text)).trim() === '') continue
      if (text === undefined) {
        omitted.push({ ...candidate, reason: 'locked' })
        continue
      }
      // Indexes of files hold no counts.
      const section = { ...candidate.section, tokens: candidate.section.tokens || measure(text) }
      const shingles = listShingles(text)
      if (known.some((other) => isCopy(shingles, other))) {
        omitted.push({ ...candidate, section, reason: 'duplicate' })
        continue
      }
      known.push(shingles)
      const contributions = scorer.contribute(candidate.row)
      const linked = form === 'number' ? found! : NO_LINKS
      candidates.push({ ...candidate, section, text, linked, shingles, contributions })
      tokens += section.tokens
    }
  }
  return { candidates, omitted }
}

const NO_LINKS = { links: [] }

/** Returns the best sections of several rankings, each with its best score. */
function mergeRankings(rankings: readonly Ranking[]): readonly RankedEntry[] {
  const best = new Map<string, RankedEntry>()
  for (const entry of rankings.flatMap(({ packs }) => packs).flatMap(({ entries }) => entries)) {
    const name = `${entry.pack} ${entry.ordinal}`
    if (entry.ordinal >= 0 && entry.score > (best.get(name)?.score ?? 0)) best.set(name, entry)
  }
  const ranked = [...best.values()].toSorted((a, b) => b.score - a.score).slice(0, MAX_CANDIDATES)
  // Rounded, so that no result depends on the last bit of a sum.
  return ranked.map((entry) => ({ ...entry, score: Math.round(entry.score * 10_000) / 10_000 }))
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
  const compareNames = (a: string, b: string): number => (a < b ? -1 : Number(a > b))
  return ranked.toSorted(
    (a, b) => b.score - a.score || compareNames(a.pack.slug, b.pack.slug) || a.ordinal - b.ordinal,
  )
}

async function readTexts(
  part: readonly Ranked[],
  texts: TextReader,
  scope: ReadingScope,
): Promise<ReadonlyMap<number, ReadonlyMap<number, LinkedText>>> {
  const groups = [...groupBy(part, ({ pack }) => pack.number).values()]
  const read = groups.map(async (group) => {
    const ordinals = group.map(({ ordinal }) => ordinal)
    return [group[0]!.pack.number, await texts.read(group[0]!.pack, ordinals, scope)] as const
  })
  return new Map(await Promise.all(read))
}
