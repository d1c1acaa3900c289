import { checkQuery, parseQuery } from '../query/parse-query.ts'
import { showCorrection } from '../query/resolve-query.ts'
import { rankQuery, type Ranking, type RankedEntry } from '../ranking/rank-packs.ts'
import type { SearchStore, TextReader } from '../store.ts'
import {
  type Candidate,
  choosePassages,
  type Fitter,
  isDuplicate,
  listShingles,
  type Sized,
  isCopy,
  fitPassages,
  trimLines,
  writePath,
} from './choose-passages.ts'
import type { Context, ContextOptions, OmittedSection } from './types.ts'
import { type ReadingScope, deriveTerms, visitWords } from '../analysis/terms.ts'
import { findHeadingEnd } from '../text/match-text.ts'
import { type LinkedText, splitBlocks, writeLinks } from '@packs/codec/internal'

const MAX_OMITTED = 10
/** Tokens of tags and attributes, about. */
const TAG_TOKENS = 40
/**
 * Unless nothing else matches. With a third, `pnpm bench:context` finds 64 % within 1,000 tokens
 * instead of 82, and 85 % within 2,000 instead of 91: sections that answer are cut.
 */
const MAX_SHARE = 2 / 3

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
  const { budget, measure, count = measure, scope, domain, packs } = options
  const parsed = parseQuery(question, scope)
  const numbers = packs && (await store.findPacks(packs))
  const filters = { domain, packs: numbers }
  const ranking = await rankQuery(store, texts, parsed, filters)
  const clauses = parsed.phrases.length > 0 ? [] : listClauses(ranking.resolved.corrected ?? question)
  const parts = await Promise.all(
    clauses.map((clause) => rankQuery(store, texts, parseQuery(clause, scope), filters)),
  )
  const terms = { terms: ranking.resolved.terms, scope }
  const { candidates, omitted } = await readCandidates([ranking, ...parts], store, texts, options)
  const most = (candidates.length === 1 ? 1 : MAX_SHARE) * budget
  const fit = createFitter(budget, most, terms)
  const others = listOthers(candidates, fit, most, terms)
  const fitted = fitPassages(choosePassages(candidates, budget, fit), others, options)
  const { chosen, passages, text, links, needed } = fitted
  const taken = new Map(chosen.map((passage) => [nameSection(passage), passage]))
  const left = candidates
    // Of those in the answer, only those of which less than half is.
    .filter((one) => 2 * (taken.get(nameSection(one))?.text.length ?? -1) < one.text.length)
    .map((candidate) => {
      const isCut = taken.has(nameSection(candidate))
      const isSame = !isCut && chosen.some(({ shingles }) => isDuplicate(shingles, candidate.shingles))
      return { ...candidate, reason: isSame ? ('duplicate' as const) : ('budget' as const) }
    })
  return {
    text,
    links,
    tokens: text === '' ? 0 : count(text),
    passages: passages.map(({ tagged, ...passage }) => ({ ...passage, tokens: count(tagged) })),
    match: passages.length === 0 ? 'none' : 'good',
    omitted: [...omitted, ...left]
      .toSorted((a, b) => b.score - a.score)
      .slice(0, MAX_OMITTED)
      .map(({ pack, section, reason }) => ({ pack, section, path: writePath(pack, section.path), reason })),
    corrected: showCorrection(ranking.resolved, scope, [
      text,
      ...omitted.flatMap(({ section }) => section.path),
    ]),
    needed,
  }
}

/** Where a question is divided into parts, which are then asked for by themselves too. */
const DIVIDERS = /[?;？；]|,?\s(?:and|und)\s(?:also\s)?|以及|还有|および/i
const MIN_WORDS = 2
const MAX_CLAUSES = 3

/** Returns the parts of a question with several parts; none for any other. */
function listClauses(question: string): readonly string[] {
  const hasWords = (clause: string): boolean => parseQuery(clause, 'full').words.length >= MIN_WORDS
  const clauses = question.split(DIVIDERS).filter(hasWords)
  return clauses.length < 2 ? [] : clauses.slice(0, MAX_CLAUSES)
}

function nameSection({ pack, ordinal }: Candidate): string {
  return `${pack.number} ${ordinal}`
}

/** @param share tokens that a section may take, unless another limit is given */
function createFitter(budget: number, share: number, terms: QuestionTerms): Fitter {
  return (candidate, limit = share) => {
    const { text, section } = candidate
    const most = limit - TAG_TOKENS
    const tokens = Math.max(section.tokens, 1)
    const whole = { ...candidate, tokens: tokens + TAG_TOKENS, isCut: false }
    if (tokens <= most) return whole
    const cut = cutSection(text, Math.floor((most / tokens) * text.length), terms)
    if (cut === undefined) return whole.tokens <= budget ? whole : undefined
    const cutTokens = Math.ceil((cut.length / text.length) * tokens)
    const shingles = listShingles(cut)
    return { ...candidate, text: cut, shingles, tokens: cutTokens + TAG_TOKENS, isCut: true }
  }
}

/** Parts of the limit that are tried if what was chosen takes more tokens than estimated. */
const PARTS = [1, 0.7, 0.4]

/** Lists passages to try one by one, best first, and at last the smallest of each section. */
function* listOthers(
  candidates: readonly Candidate[],
  fit: Fitter,
  most: number,
  terms: QuestionTerms,
): Generator<Sized, void, undefined> {
  for (const candidate of candidates)
    for (const part of PARTS) {
      const sized = fit(candidate, part * most)
      if (sized !== undefined) yield sized
    }
  for (const candidate of candidates) {
    const text = cutShortest(candidate.text, terms)
    yield { ...candidate, text, tokens: 0, isCut: true }
    if (candidate.text.length < 2 * text.length) yield { ...candidate, tokens: 0, isCut: false }
  }
}

/** Sections that are considered, and that are read at once. */
const MAX_CANDIDATES = 200
const MIN_READ = 12
/** How many times the budget is read. */
const READ_FACTOR = 3

type Ranked = Omit<Candidate, 'text' | 'linked' | 'shingles' | 'contributions'> & Pick<RankedEntry, 'row'>

interface ReadCandidates {
  /** Best first. */
  readonly candidates: readonly Candidate[]
  readonly omitted: readonly (Omit<OmittedSection, 'path'> & { readonly score: number })[]
}

/** Reads the best sections: more than fit the budget, so that there is a choice. */
async function readCandidates(
  rankings: readonly [Ranking, ...Ranking[]],
  store: SearchStore,
  texts: TextReader,
  { budget, measure, count = measure, scope, domain, links: form = 'number' }: ContextOptions,
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
      const found = read.get(candidate.pack.number)?.get(candidate.ordinal)
      const text = found && writeLinks(found.text, found.links, form, found)
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
  const groups = [...Map.groupBy(part, ({ pack }) => pack.number).values()]
  const read = groups.map(async (group) => {
    const ordinals = group.map(({ ordinal }) => ordinal)
    return [group[0]!.pack.number, await texts.read(group[0]!.pack, ordinals, scope)] as const
  })
  return new Map(await Promise.all(read))
}

/** Marks where parts of a section are omitted. */
const OMISSION = '[…]'

/** The terms of a question with their weights, and the reader for whom they were looked up. */
interface QuestionTerms {
  readonly terms: ReadonlyMap<string, number>
  readonly scope: ReadingScope
}

interface WeighedBlock {
  readonly index: number
  readonly text: string
  readonly terms: ReadonlySet<string>
}

/**
 * Cuts a section to its heading and the paragraphs with most terms of a question: never inside
 * code, a table row or a sentence. `undefined` if no paragraph fits.
 * @param most length of the result, about, in UTF-16 units
 */
function cutSection(section: string, most: number, question: QuestionTerms): string | undefined {
  const divided = divideSection(section, most / 2, question)
  const chosen = chooseBlocks(divided.blocks, most - divided.heading.length, question.terms)
  return chosen.length === 0 ? undefined : writeBlocks(divided, chosen)
}

/** Cuts a section to its heading and its shortest part, one with a term if there is any. */
function cutShortest(section: string, question: QuestionTerms): string {
  const divided = divideSection(section, 0, question)
  const found = divided.blocks.filter(({ terms }) => terms.size > 0)
  const parts = found.length > 0 ? found : divided.blocks
  return writeBlocks(divided, parts.toSorted((a, b) => a.text.length - b.text.length).slice(0, 1))
}

interface DividedSection {
  readonly heading: string
  readonly blocks: readonly WeighedBlock[]
}

/** @param most length of a block, about */
function divideSection(section: string, most: number, { terms, scope }: QuestionTerms): DividedSection {
  const start = findHeadingEnd(section)
  const body = section.slice(start)
  const blocks = splitBlocks(body, most).map((block, index) => {
    const text = body.slice(block.start, block.end)
    return { index, text, terms: findTerms(text, terms, scope) }
  })
  return { heading: section.slice(0, start).trim(), blocks }
}

function writeBlocks({ heading, blocks }: DividedSection, chosen: readonly WeighedBlock[]): string {
  const parts = heading === '' ? [] : [heading]
  let last = -1
  for (const { index, text } of chosen.toSorted((a, b) => a.index - b.index)) {
    if (index > last + 1) parts.push(OMISSION)
    const joins = index === last + 1 && last >= 0
    if (joins) parts.push(parts.pop()! + text)
    else parts.push(text)
    last = index
  }
  if (last < blocks.length - 1) parts.push(OMISSION)
  return parts.map(trimLines).join('\n\n')
}

/** Chooses the blocks with the most weight of terms, then those after them, as many as fit. */
function chooseBlocks(
  blocks: readonly WeighedBlock[],
  most: number,
  weights: ReadonlyMap<string, number>,
): readonly WeighedBlock[] {
  const chosen = new Set<WeighedBlock>()
  const covered = new Set<string>()
  let left = most
  const take = (block: WeighedBlock): void => {
    chosen.add(block)
    left -= block.text.length
    for (const term of block.terms) covered.add(term)
  }
  const rate = ({ terms, text }: WeighedBlock): number => {
    let weight = 0
    for (const term of terms) weight += (covered.has(term) ? 0.2 : 1) * (weights.get(term) ?? 0)
    return weight / (text.length + 200)
  }
  const rated = blocks.filter(({ terms }) => terms.size > 0)
  // Rates change only when a term is covered first, so that a long section is sorted a few times.
  for (let before = -1; before < covered.size;) {
    before = covered.size
    const rates = new Map(rated.map((block) => [block, rate(block)]))
    for (const block of rated.toSorted((a, b) => rates.get(b)! - rates.get(a)!)) {
      if (!chosen.has(block) && block.text.length <= left) take(block)
      if (before < covered.size) break
    }
  }
  // If only the heading matches, the section is read from its start.
  if (chosen.size === 0 && blocks[0] !== undefined && blocks[0].text.length <= left) take(blocks[0])
  // What follows a paragraph belongs to it more often than what precedes it.
  for (const [index, block] of blocks.entries()) {
    const isNext = index > 0 && chosen.has(blocks[index - 1]!)
    if (isNext && !chosen.has(block) && block.text.length <= left) take(block)
  }
  return [...chosen]
}

function findTerms(text: string, terms: ReadonlyMap<string, number>, scope: ReadingScope): Set<string> {
  const found = new Set<string>()
  visitWords(text, (word) => {
    for (const term of deriveTerms(word, scope)) if (terms.has(term.text)) found.add(term.text)
  })
  return found
}
