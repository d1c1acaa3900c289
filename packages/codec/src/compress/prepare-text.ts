import { findMdxRegions } from '../markdown/regions/mdx-regions.ts'
import { findVerbatimRegions } from '../markdown/regions/verbatim-regions.ts'
import { scriptOf, type TermScript } from '../rosetta/term-scripts.ts'
import type { Tokenizer } from '../tokens/types.ts'
import type { Scheme } from '../types.ts'
import { addGlossary, type WithGlossary, findPhrases, mergeRanges } from './candidates/author-glossary.ts'
import { CharKind } from './text/char-kind.ts'
import { createCachedCounter, measureBoundaries, type BoundaryCosts } from './cost/boundary-costs.ts'
import { DominanceRule, ACCEPT_ALL, NeighbourRule, NumberRule } from './candidates/candidate-rules.ts'
import { findCandidates } from './candidates/find-candidates.ts'
import { freeArrays } from './text/typed-arrays.ts'
import { HeaderCosts } from './cost/header-costs.ts'
import { cutPieces, scanParts, splitParts, type TextPart } from './text/join-texts.ts'
import { indexRepeats } from './candidates/index-repeats.ts'
import { limitOccurrences } from './candidates/limit-occurrences.ts'
import { lexUnits, type Units } from './text/lex-units.ts'
import { dropCheapCandidates, priceTerms, type TermLimit } from './selection/price-terms.ts'
import { listSymbols, type TermSymbol } from './terms/symbol-table.ts'
import { listAcronyms } from './terms/make-acronyms.ts'
import { buildCandidateSet } from './candidates/build-candidate-set.ts'
import type { CandidateSet } from './candidates/candidate-set.ts'
import { ReadabilityRule } from './candidates/readability.ts'
import { SCHEME_PLANS, type SchemePlan } from './schemes.ts'
import type { LineTable } from '../markdown/line-table.ts'
import { protectLines } from './text/protect-lines.ts'
import type { GlossaryRule } from './types.ts'

/** From this number of units on, a text may need more terms than there are. */
const TERMS_SCARCE_FROM = 1 << 17

export interface PrepareOptions {
  readonly scheme: Exclude<Scheme, 'none'>
  readonly tokenizer: Tokenizer
  readonly glossary: readonly GlossaryRule[]
  readonly code: boolean
  /** For each text between separators, whether code in it may be changed; `code` if absent. */
  readonly codeByPart?: readonly boolean[]
  /** Whether the text is MDX. @default false */
  readonly mdx?: boolean
  /** A character that stands between texts compressed together and occurs in none of them; absent for a single text. */
  readonly separator?: string
  /** The scripts that give no terms; those of the text if absent. */
  readonly ownScripts?: ReadonlySet<TermScript> | undefined
  /** Whether the texts are only read together, so that an entry is paid once for all. @default false */
  readonly readTogether?: boolean
}

/** A text ready for selection: its units, boundary costs, and candidates with their occurrences. */
export interface PreparedText extends Omit<WithGlossary, 'source'>, PrepareOptions {
  readonly plan: SchemePlan
  readonly units: Units
  readonly boundaries: BoundaryCosts
  readonly set: CandidateSet
  readonly limit: TermLimit
  /** Lines of the text, if the scheme keeps them. */
  readonly lines: LineTable | undefined
  /** Counts the tokens of a short string, cached. */
  readonly countCached: (text: string) => number
  /** Symbols that the text does not contain. */
  readonly symbols: readonly TermSymbol[]
  /** Acronyms that the text does not contain in any case. */
  readonly acronyms: readonly string[]
}

/** Cuts `text` into units, measures costs and finds candidates (steps 1 to 3 of docs/compression.md). */
export function prepareText(text: string, options: PrepareOptions): PreparedText {
  const { scheme, tokenizer, glossary, code, codeByPart = [code], mdx, separator, ownScripts } = options
  const plan = SCHEME_PLANS[scheme]
  const { readable, keepsLines } = plan

  // Step 1, text/: units, and those that must stay
  const parts = splitParts(text, separator)
  const lines = keepsLines ? scanParts(parts, text) : undefined
  const blocked = mergeRanges(
    ...(lines ? protectParts(lines, parts, readable ? codeByPart : [true]) : []),
    parts.flatMap((part) => Array.from(findVerbatim(part.text, mdx), (offset) => part.start + offset)),
    parts.slice(1).flatMap(({ start }) => [start - 1, start]),
    findNever(text, glossary),
  )
  const pieces = cutPieces(parts, tokenizer)
  const units = lexUnits(text, blocked, !keepsLines, readable ? undefined : pieces.ends)
  const symbols = readable ? [] : listFreeSymbols(tokenizer, text, ownScripts)
  const acronyms = readable ? listFreeAcronyms(tokenizer, units) : []

  // Step 2, cost/: what boundaries and header entries cost
  const countCached = createCachedCounter(tokenizer)
  const boundaries = measureBoundaries(units, pieces, tokenizer, chooseProbe(units, readable, countCached))
  const headerCosts = new HeaderCosts(units, { tokenizer, pieces, countCached, newlines: !keepsLines })

  // Step 3, candidates/: repeated phrases that may become entries, and their occurrences
  const rule = readable
    ? new ReadabilityRule(units, boundaries)
    : plan.plainNumbers
      ? new NumberRule(units)
      : ACCEPT_ALL
  const occurrenceRule = new NeighbourRule(units, readable)
  const dominance = keepsDominated(options)
    ? undefined
    : new DominanceRule(units, boundaries, headerCosts, occurrenceRule, rule)
  const terms = symbols.length + acronyms.length + glossary.length
  const isScarce = units.count >= TERMS_SCARCE_FROM
  const repeats = indexRepeats(units, keepsLines ? 'all' : isScarce ? 'few' : 'most')
  const costs = { units, boundaries, headerCosts, rule, dominance }
  const all = findCandidates(repeats, costs)
  const limit = isScarce ? priceTerms(all, boundaries, occurrenceRule, terms) : { count: terms, price: 0 }
  const affordable = dropCheapCandidates(all, limit.price)
  const found = limitOccurrences(affordable, boundaries, occurrenceRule, units.bytes, plan.occurrences)
  const { source, pins, candidateOfRule } = addGlossary(found, glossary, units, headerCosts, countCached)
  freeArrays(repeats.lcp)
  headerCosts.free()
  rule.free()
  const set = buildCandidateSet(source, boundaries, occurrenceRule, !readable)
  freeArrays(found.from, found.to, found.positions, found.extra, found.maxNet)
  return {
    ...options,
    plan,
    units,
    boundaries,
    set,
    lines,
    limit,
    countCached,
    symbols,
    acronyms,
    pins,
    candidateOfRule,
  }
}

/**
 * Whether dominated candidates must be kept. The dominance rule holds only if occurrences may touch and costs
 * depend on the text alone: not for readable schemes, candidates named by the author, or texts with a shared
 * header that are also read alone.
 */
function keepsDominated({ scheme, glossary, separator, readTogether }: PrepareOptions): boolean {
  const sharesCosts = separator !== undefined && readTogether !== true
  return SCHEME_PLANS[scheme].readable || sharesCosts || glossary.some(({ never }) => !never)
}

/** Protects the lines of each part, and its code unless `code` allows that for the part. One value is for all parts. */
function protectParts(
  lines: LineTable,
  parts: readonly TextPart[],
  code: readonly boolean[],
): ArrayLike<number>[] {
  if (code.every((allowed) => allowed === code[0])) return [protectLines(lines, { code: code[0]! })]
  const strict = protectLines(lines)
  const kept: number[] = []
  let part = 0
  for (let at = 0; at < strict.length; at += 2) {
    while (part + 1 < parts.length && parts[part + 1]!.start <= strict[at]!) part++
    if (!code[part]) kept.push(strict[at]!, strict[at + 1]!)
  }
  return [protectLines(lines, { code: true }), kept]
}

/** Finds the regions of `text` that stay as they are, as `[start, end)` in UTF-16 offsets. */
export function findVerbatim(text: string, mdx = false): Int32Array {
  const lists = [findVerbatimRegions(text), mdx ? findMdxRegions(text) : []]
  return mergeRanges(...lists.map((regions) => regions.flatMap(({ start, end }) => [start, end])))
}

/** Finds the phrases that must never be replaced, as `[start, end)` in UTF-16 offsets. */
export function findNever(text: string, glossary: readonly GlossaryRule[]): number[] {
  const phrases = glossary.flatMap(({ expansion, never }) => (never && expansion !== '' ? [expansion] : []))
  return findPhrases([...new Set(phrases)], text)
}

function listFreeSymbols(
  tokenizer: Tokenizer,
  text: string,
  ownScripts: PrepareOptions['ownScripts'],
): TermSymbol[] {
  const present = new Uint8Array(0x10000)
  for (let at = 0; at < text.length; at++) present[text.charCodeAt(at)] = 1
  return listSymbols(tokenizer).filter(({ term }) => {
    const script = scriptOf(term)
    return present[term.charCodeAt(0)] === 0 && !(script && ownScripts?.has(script))
  })
}

function listFreeAcronyms(tokenizer: Tokenizer, { text, starts, kinds, count }: Units): string[] {
  const present = new Set<string>()
  for (let unit = 0; unit < count; unit++) {
    const from = starts[unit]!
    const to = starts[unit + 1]!
    if ((kinds[unit]! & CharKind.word) !== 0 && to - from <= 3)
      present.add(text.slice(from, to).toUpperCase())
  }
  return listAcronyms(tokenizer).filter((acronym) => !present.has(acronym))
}

/**
 * Returns a sample term of one token, also behind a space. Readable terms are words. Most terms of a large text are letters
 * of other scripts; a small text needs few terms, so many of them are signs that also merge with line ends, as `•` does.
 */
function chooseProbe(
  { text, count }: Units,
  readable: boolean,
  countCached: (text: string) => number,
): string {
  const letters = count < MOSTLY_LETTERS_FROM ? [] : LETTER_PROBES.filter((probe) => !text.includes(probe))
  const probes = readable ? READABLE_PROBES : [...letters, ...SIGN_PROBES]
  return probes.find((probe) => countCached(probe) === 1 && countCached(` ${probe}`) === 1) ?? probes[0]!
}

/** From this number of units on, most terms are letters: about 40 KB. */
const MOSTLY_LETTERS_FROM = 1 << 14
const READABLE_PROBES = ['ML', 'CT', 'KP', 'QA']
const LETTER_PROBES = ['한', '中', 'ア']
const SIGN_PROBES = ['•', '◆', '●', '■', '□', '♥', '→', '※']
