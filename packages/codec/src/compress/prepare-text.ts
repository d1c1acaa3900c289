import { findMarkupRegions, findMdxRegions } from '../markdown/regions/mdx-regions.ts'
import { findVerbatimRegions } from '../markdown/regions/verbatim-regions.ts'
import type { Tokenizer } from '../tokens/types.ts'
import type { Scheme } from '../types.ts'
import { addGlossary, type WithGlossary, findPhrases, mergeRanges } from './candidates/author-glossary.ts'
import { CharKind } from './text/char-kind.ts'
import { createCachedCounter, measureBoundaries, type BoundaryCosts } from './cost/boundary-costs.ts'
import { createDominanceRule, createFormRule, createOccurrenceRule } from './candidates/candidate-rules.ts'
import { findCandidates } from './candidates/find-candidates.ts'
import { freeArrays, freeFields } from './text/typed-arrays.ts'
import { HeaderCosts } from './cost/header-costs.ts'
import { cutPieces, scanParts, splitParts, type TextPart } from './text/join-texts.ts'
import { limitOccurrences, buildCandidateSet } from './candidates/build-candidate-set.ts'
import { lexUnits, type Units } from './text/lex-units.ts'
import { dropCheapCandidates, priceTerms, type TermLimit } from './selection/price-terms.ts'
import { listFreeLetters, type TermLetter } from './terms/letter-table.ts'
import { FreeAcronyms, LONGEST_ACRONYM } from './terms/make-acronyms.ts'
import type { CandidateSet, FoundCandidates } from './candidates/candidate-set.ts'
import { TextReadability } from './candidates/readability.ts'
import { SCHEME_PLANS, type SchemePlan } from './schemes.ts'
import { type LineTable, isCodeKind, isRowKind, isStructureKind, LineKind } from '../markdown/line-table.ts'
import type { GlossaryRule } from './types.ts'

/** In texts of at least this many units, not every length of a long repeat is tried. */
const MANY_REPEATS_FROM = 1 << 17

export interface PrepareOptions {
  readonly scheme: Exclude<Scheme, 'none'>
  readonly tokenizer: Tokenizer
  readonly glossary: readonly GlossaryRule[]
  readonly code: boolean
  /** Whether code may be changed, for each text between separators. @default [code] */
  readonly codeByPart?: readonly boolean[]
  readonly mdx?: boolean
  /**
   * A character that separates texts compressed together and occurs in none of them. Absent for a
   * single text.
   */
  readonly separator?: string
}

/** A text ready for selection: its units, boundary costs, and candidates with their occurrences. */
export interface PreparedText extends Omit<WithGlossary, 'source'>, PrepareOptions {
  readonly plan: SchemePlan
  readonly units: Units
  readonly boundaries: BoundaryCosts
  readonly set: CandidateSet
  readonly limit: TermLimit
  /** Tokens of each candidate's term after a space. */
  readonly termTokens: Uint8Array
  /** If the scheme keeps them. */
  readonly lines: LineTable | undefined
  readonly countCached: (text: string) => number
  readonly letters: readonly TermLetter[]
  /** Ignoring case; if the scheme is readable. */
  readonly acronyms: FreeAcronyms | undefined
}

/**
 * Cuts `text` into units, measures costs and finds candidates (steps 1 to 3 of docs/schemes.md).
 */
export function prepareText(text: string, options: PrepareOptions): PreparedText {
  const { scheme, tokenizer, glossary, code, codeByPart = [code], mdx, separator } = options
  const plan = SCHEME_PLANS[scheme]
  const { readable, keepsLines } = plan

  // Step 1, text/: units, and which of them must stay
  const parts = splitParts(text, separator)
  const lines = keepsLines ? scanParts(parts, text) : undefined
  const blocked = mergeRanges(
    ...(lines ? protectParts(lines, parts, readable ? codeByPart : [true], readable) : []),
    parts.flatMap((part) => Array.from(findVerbatim(part.text, mdx), (offset) => part.start + offset)),
    readable
      ? parts.flatMap((part) => Array.from(findMarkup(part.text), (offset) => part.start + offset))
      : [],
    parts.slice(1).flatMap(({ start }) => [start - 1, start]),
    findNever(text, glossary),
  )
  const pieces = cutPieces(parts, tokenizer)
  const units = lexUnits(text, blocked, !keepsLines, readable ? undefined : pieces.ends)
  const letters = readable
    ? []
    : listFreeLetters(
        tokenizer,
        text,
        glossary.flatMap(({ term = [] }) => term),
      )
  const acronyms = readable ? new FreeAcronyms(tokenizer, listTakenWords(units, glossary)) : undefined

  // Step 2, cost/: what boundaries and header entries cost
  const countCached = createCachedCounter(tokenizer)
  const boundaries = measureBoundaries(units, pieces, tokenizer, chooseProbe(letters, countCached))
  const headerCosts = new HeaderCosts(units, { tokenizer, pieces, countCached, newlines: !keepsLines })

  // Step 3, candidates/: repeated phrases that may become entries, and their occurrences
  const readability = acronyms && new TextReadability(units, boundaries, (phrase) => acronyms.has(phrase))
  const floorOf = readability?.floorOf ?? createFormRule(units)
  const occurrenceRule = createOccurrenceRule(units, readable)
  const dominance = keepsDominated(options)
    ? undefined
    : createDominanceRule(units, boundaries, headerCosts, occurrenceRule, floorOf)
  const terms = acronyms ? Infinity : letters.length + glossary.length
  const tried = keepsLines ? 'all' : units.count < MANY_REPEATS_FROM ? 'most' : 'few'
  const all = findCandidates(tried, { units, boundaries, headerCosts, floorOf, dominance })
  const limit =
    terms < all.length.length
      ? priceTerms(all, boundaries, occurrenceRule, terms)
      : { count: terms, price: 0 }
  const affordable = dropCheapCandidates(all, limit.price)
  const limited = limitOccurrences(affordable, boundaries, occurrenceRule, units.bytes, plan.occurrences)
  const found = acronyms ? chargeAcronyms(limited, units, acronyms) : limited
  const { source, pins, candidateOfRule } = addGlossary(found, glossary, units, headerCosts, countCached)
  headerCosts.free()
  if (readability) freeFields(readability)
  const set = buildCandidateSet(source, boundaries, occurrenceRule, !readable)
  const termTokens = Uint8Array.from(source.extra, (extra) => extra + 1)
  freeArrays(found.from, found.to, found.positions, found.extra, found.maxNet)
  return {
    ...options,
    plan,
    units,
    boundaries,
    set,
    lines,
    limit,
    termTokens,
    countCached,
    letters,
    acronyms,
    pins,
    candidateOfRule,
  }
}

/**
 * Whether dominated candidates must be kept. The dominance rule holds only if occurrences may touch
 * and costs depend on the text alone, so not for readable schemes or an author's phrases.
 */
function keepsDominated({ scheme, glossary }: PrepareOptions): boolean {
  return SCHEME_PLANS[scheme].readable || glossary.some(({ never }) => !never)
}

/**
 * Protects the lines of each part, and its code unless `code` allows changes there. A single value
 * applies to all parts.
 */
function protectParts(
  lines: LineTable,
  parts: readonly TextPart[],
  code: readonly boolean[],
  readable: boolean,
): ArrayLike<number>[] {
  const loose = protectLines(lines, { code: code.some(Boolean), readable })
  if (code.every((allowed) => allowed === code[0])) return [loose]
  const strict = protectLines(lines, { readable })
  const kept: number[] = []
  let part = 0
  for (let at = 0; at < strict.length; at += 2) {
    while (part + 1 < parts.length && parts[part + 1]!.start <= strict[at]!) part++
    if (!code[part]) kept.push(strict[at]!, strict[at + 1]!)
  }
  return [loose, kept]
}

/** As `[start, end)` in UTF-16 offsets. */
export function findVerbatim(text: string, mdx = false): Int32Array {
  const lists = [findVerbatimRegions(text), mdx ? findMdxRegions(text) : []]
  return mergeRanges(...lists.map((regions) => regions.flatMap(({ start, end }) => [start, end])))
}

/** Code spans and tags, which no acronym may be in, as `[start, end)` in UTF-16 offsets. */
export function findMarkup(text: string): Int32Array {
  return Int32Array.from(findMarkupRegions(text).flatMap(({ start, end }) => [start, end]))
}

/** As `[start, end)` in UTF-16 offsets. */
export function findNever(text: string, glossary: readonly GlossaryRule[]): number[] {
  const phrases = glossary.flatMap(({ expansion, never }) => (never && expansion !== '' ? [expansion] : []))
  return findPhrases([...new Set(phrases)], text)
}

function chargeAcronyms(
  found: FoundCandidates,
  { text, starts }: Units,
  acronyms: FreeAcronyms,
): FoundCandidates {
  const extra = found.extra.map((_, candidate) => {
    const begin = found.sample[candidate]!
    return acronyms.countTokens(text.slice(starts[begin], starts[begin + found.length[candidate]!])) - 1
  })
  return { ...found, extra, cost: found.cost.map((cost, candidate) => cost + extra[candidate]!) }
}

/**
 * Lists what no acronym may be: the short words of the text and the author's terms, in capitals.
 */
function listTakenWords(
  { text, starts, kinds, count }: Units,
  glossary: readonly GlossaryRule[],
): Set<string> {
  const taken = new Set(glossary.map(({ term = '' }) => term.toUpperCase()))
  for (let unit = 0; unit < count; unit++) {
    const from = starts[unit]!
    const to = starts[unit + 1]!
    if ((kinds[unit]! & CharKind.word) !== 0 && to - from <= LONGEST_ACRONYM)
      taken.add(text.slice(from, to).toUpperCase())
  }
  return taken
}

/**
 * Returns a sample term, a letter or an acronym, that is one token both alone and after a space.
 */
function chooseProbe(letters: readonly TermLetter[], countCached: (text: string) => number): string {
  const free = new Set(letters.map(({ term }) => term))
  const probes = free.size > 0 ? LETTER_PROBES.filter((probe) => free.has(probe)) : READABLE_PROBES
  const found = probes.find((probe) => countCached(probe) === 1 && countCached(` ${probe}`) === 1)
  return found ?? letters[0]?.term ?? READABLE_PROBES[0]!
}

const READABLE_PROBES = ['ML', 'CT', 'KP', 'QA']
/** Letters that no token joins with the characters beside them in ordinary text. */
const LETTER_PROBES = ['한', '中', 'ア', '글', '网', 'コ', 'ก']

export interface ProtectOptions {
  /** Whether fenced and indented code may be changed. @default false */
  readonly code?: boolean
  /**
   * Whether terms are acronyms, which appear in prose only: not in table headers or HTML.
   * @default false
   */
  readonly readable?: boolean
}

/**
 * Returns the ranges that no replacement may overlap, so that lines keep their structure and
 * headings their words: ascending, disjoint `[start, end)` pairs of UTF-16 offsets. Line endings
 * are not included, although no replacement may contain one either.
 */
export function protectLines(table: LineTable, options: ProtectOptions = {}): Int32Array<ArrayBuffer> {
  const { code = false, readable = false } = options
  const { text, count, starts, ends, bodyStarts, bodyEnds, kinds } = table
  const ranges: number[] = []
  for (let line = 0; line < count; line++) {
    const kind = kinds[line]!
    const start = starts[line]!
    const end = ends[line]!
    if (
      isStructureKind(kind) ||
      isHeading(kind) ||
      (!code && isCodeKind(kind)) ||
      (readable && isMarkup(kind))
    ) {
      addRange(ranges, start, end)
      continue
    }
    addRange(ranges, start, bodyStarts[line]!)
    if (isRowKind(kind)) addPipes(text, bodyStarts[line]!, bodyEnds[line]!, ranges)
    addRange(ranges, bodyEnds[line]!, end)
  }
  return new Int32Array(ranges)
}

function isHeading(kind: number): boolean {
  return kind === LineKind.atxHeading || kind === LineKind.headingText
}

function isMarkup(kind: number): boolean {
  return kind === LineKind.htmlInside || kind === LineKind.tableHeader
}

/** Appends a range, joined with the last one if they touch. */
function addRange(ranges: number[], start: number, end: number): void {
  if (end <= start) return
  const last = ranges.length - 1
  if (last > 0 && ranges[last]! >= start) ranges[last] = Math.max(ranges[last]!, end)
  else ranges.push(start, end)
}

function addPipes(text: string, start: number, end: number, ranges: number[]): void {
  for (let offset = start; offset < end; offset++) {
    const code = text.charCodeAt(offset)
    if (code === 124) addRange(ranges, offset, offset + 1)
    else if (code === 92) offset++
  }
}
