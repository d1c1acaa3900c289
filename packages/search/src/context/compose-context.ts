import { checkQuery, parseQuery } from '../query/parse-query.ts'
import { showCorrection } from '../query/resolve-query.ts'
import { rankQuery } from '../ranking/rank-query.ts'
import type { SearchStore, TextReader } from '../store.ts'
import {
  type Candidate,
  choosePassages,
  type Fitter,
  isDuplicate,
  listShingles,
  type Sized,
} from './choose-passages.ts'
import { cutSection, cutShortest, type QuestionTerms } from './cut-section.ts'
import { readCandidates } from './read-candidates.ts'
import type { Context, ContextOptions } from './types.ts'
import { fitPassages, joinTexts } from './write-passages.ts'

const MAX_OMITTED = 10
/** Tokens of tags and attributes, about. */
const TAG_TOKENS = 40
/**
 * A section takes at most this share of the budget, unless nothing else matches. With a third,
 * `pnpm bench:context` finds 64 % within 1,000 tokens instead of 82, and 85 % within 2,000 instead
 * of 91, because sections that answer are cut.
 */
const MAX_SHARE = 2 / 3

/**
 * Returns the passages that answer a question within a budget of tokens. The same index, program
 * and options give the same text.
 *
 * @throws RangeError as `checkQuery` does
 * @example
 * const { text, tokens } = await composeContext('rotate a certificate', { budget: 2000, measure, scope: 'full' }, store, texts)
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
  const { chosen, passages, needed } = fitPassages(choosePassages(candidates, budget, fit), others, options)
  const text = joinTexts(passages)
  const taken = new Map(chosen.map((passage) => [nameSection(passage), passage]))
  const left = candidates
    .filter((candidate) => isMostlyMissing(candidate, taken.get(nameSection(candidate))))
    .map((candidate) => {
      const isCut = taken.has(nameSection(candidate))
      const isSame = !isCut && chosen.some(({ shingles }) => isDuplicate(shingles, candidate.shingles))
      return { ...candidate, reason: isSame ? ('duplicate' as const) : ('budget' as const) }
    })
  return {
    text,
    tokens: text === '' ? 0 : count(text),
    passages: passages.map(({ pack, sections, path, score, text: own }) => ({
      pack,
      sections,
      path,
      score,
      tokens: count(own),
    })),
    omitted: [...omitted, ...left]
      .toSorted((a, b) => b.score - a.score)
      .slice(0, MAX_OMITTED)
      .map(({ pack, section, reason }) => ({ pack, section, reason })),
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

/** Whether a section is not in the answer, or less than half of it is. */
function isMostlyMissing({ text }: Candidate, passage: Sized | undefined): boolean {
  return passage === undefined || 2 * passage.text.length < text.length
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
