import { findMdxRegions } from '../markdown/regions/mdx-regions.ts'
import { findVerbatimRegions } from '../markdown/regions/verbatim-regions.ts'
import type { Tokenizer } from '../tokens/get-tokenizer.ts'
import type { Scheme } from '../types.ts'
import { addGlossary, type WithGlossary, findPhrases, mergeRanges } from './candidates/author-glossary.ts'
import { measureBoundaries, type BoundaryCosts, createCachedCounter } from './cost/piece-counter.ts'
import { createDominanceRule, createFormRule, createOccurrenceRule } from './candidates/candidate-rules.ts'
import { findKeptParts, findObligations } from './candidates/kept-parts.ts'
import { scanLines } from '../markdown/scan-lines.ts'
import { findCandidates } from './candidates/find-candidates.ts'
import { HeaderCosts } from './cost/header-costs.ts'
import { inlineBlocks, listLabels } from '../markdown/inlines/inline-blocks.ts'
import { listMarkup, readInlines } from '../markdown/read-inlines.ts'
import { cutPieces, joinTables, splitParts, type TextPart } from './text/join-texts.ts'
import { limitOccurrences, buildCandidateSet, type CandidateSet } from './candidates/candidate-set.ts'
import { lexUnits, type Units } from './text/lex-units.ts'
import { dropCheapCandidates, priceTerms, type TermLimit } from './selection/choose-greedily.ts'
import { listFreeLetters, type TermLetter } from './terms/letter-table.ts'
import { SCHEME_PLANS, type SchemePlan } from './schemes.ts'
import {
  type BlockTable,
  type LineTable,
  isCodeKind,
  isFencedKind,
  isRowKind,
  isStructureKind,
  LineKind,
} from '../markdown/line-table.ts'
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
  /** Between texts that are compressed together; occurs in none of them. */
  readonly separator?: string
}

/** A text ready for selection: its units, boundary costs, and candidates with their occurrences. */
export interface PreparedText extends Omit<WithGlossary, 'source'>, PrepareOptions {
  readonly plan: SchemePlan
  readonly units: Units
  readonly boundaries: BoundaryCosts
  readonly set: CandidateSet
  readonly limit: TermLimit
  /** If the scheme keeps their structure. */
  readonly lines: LineTable | undefined
  readonly countCached: (text: string) => number
  readonly letters: readonly TermLetter[]
}

/** Steps 1 to 3 of docs/schemes.md: units, costs and candidates. */
export function prepareText(text: string, options: PrepareOptions): PreparedText {
  const { scheme, tokenizer, glossary, code, codeByPart = [code], mdx, separator } = options
  const plan = SCHEME_PLANS[scheme]
  const { authorOnly, keepsLines, keepsParts } = plan

  // Step 1, text/: units, and which of them must stay
  const parts = splitParts(text, separator)
  const keepsCode = authorOnly ? [true] : codeByPart.map((allowed) => !allowed)
  const tables =
    keepsLines || keepsCode.includes(true) ? parts.map((part) => scanLines(part.text)) : undefined
  const scanned = tables && joinTables(tables, parts, text)
  const lines = keepsLines ? scanned : undefined
  const never = glossary.flatMap((rule) => (rule.never && rule.expansion !== '' ? [rule.expansion] : []))
  const blocked = mergeRanges(
    lines ? protectLines(lines, authorOnly) : [],
    scanned ? protectCode(scanned, parts, keepsCode) : [],
    parts.flatMap((part) => Array.from(findVerbatim(part.text, mdx), (offset) => part.start + offset)),
    authorOnly
      ? tables!.flatMap((table, index) => findMarkup(table).map((offset) => parts[index]!.start + offset))
      : [],
    parts.slice(1).flatMap(({ start }) => [start - 1, start]),
    findPhrases([...new Set(never)], text),
  )
  const obligations = authorOnly ? undefined : Int32Array.from(findObligations(text))
  const pieces = cutPieces(parts, tokenizer)
  const units = lexUnits(text, blocked, !keepsLines, authorOnly ? undefined : pieces.ends, obligations)
  const letters = authorOnly
    ? []
    : listFreeLetters(
        tokenizer,
        text,
        glossary.flatMap(({ term = [] }) => term),
      )

  // Step 2, cost/: what boundaries and header entries cost
  const countCached = createCachedCounter(tokenizer)
  const boundaries = measureBoundaries(units, pieces, tokenizer, chooseProbe(letters, countCached))
  const headerCosts = new HeaderCosts(units, { tokenizer, pieces, countCached, newlines: !keepsLines })

  // Step 3, candidates/: repeated phrases that may become entries, and their occurrences
  const kept = keepsParts ? findKeptParts(units, tables!, parts) : undefined
  const floorOf = createFormRule(
    units,
    kept && { kept, escapes: headerCosts.escapes, boundaries, countCached },
  )
  const occurrenceRule = createOccurrenceRule(units, kept)
  // The dominance rule holds only if costs depend on the text alone, so not for an author's phrases.
  const dominance = glossary.some(({ never }) => !never)
    ? undefined
    : createDominanceRule(units, boundaries, headerCosts, occurrenceRule, floorOf)
  const terms = letters.length + glossary.length
  const tried = authorOnly ? 'none' : keepsLines ? 'all' : units.count < MANY_REPEATS_FROM ? 'most' : 'few'
  const all = findCandidates(tried, { units, boundaries, headerCosts, floorOf, dominance })
  const limit =
    terms < all.length.length
      ? priceTerms(all, boundaries, occurrenceRule, terms)
      : { count: terms, price: 0 }
  const affordable = dropCheapCandidates(all, limit.price)
  const found = limitOccurrences(affordable, boundaries, occurrenceRule, units.bytes, plan.occurrences)
  // A rule without a term adds no phrase where the author writes all terms.
  const rules = authorOnly
    ? glossary.map((rule) => (rule.term === undefined ? { ...rule, expansion: '' } : rule))
    : glossary
  const { source, pins, candidateOfRule } = addGlossary(found, rules, units, headerCosts, countCached)
  const set = buildCandidateSet(source, boundaries, occurrenceRule)
  return {
    ...options,
    plan,
    units,
    boundaries,
    set,
    lines,
    limit,
    countCached,
    letters,
    pins,
    candidateOfRule,
  }
}

/** The fenced and indented code of each part that keeps it, with the line ends around it. */
function protectCode(
  { count, starts, kinds, text }: LineTable,
  parts: readonly TextPart[],
  keeps: readonly boolean[],
): number[] {
  const ranges: number[] = []
  for (let line = 0, part = 0; line < count; line++) {
    if (!isCodeKind(kinds[line]!) && !isFencedKind(kinds[line]!)) continue
    while (part + 1 < parts.length && parts[part + 1]!.start <= starts[line]!) part++
    if (!(keeps[part] ?? keeps[0])) continue
    const end = line + 1 < count ? starts[line + 1]! : text.length
    addRange(ranges, Math.max(0, starts[line]! - 1), end)
  }
  return ranges
}

/** As `[start, end)` in UTF-16 offsets. */
function findVerbatim(text: string, mdx = false): Int32Array {
  const lists = [findVerbatimRegions(text), mdx ? findMdxRegions(text) : []]
  return mergeRanges(...lists.map((regions) => regions.flatMap(({ start, end }) => [start, end])))
}

/** Tags of other languages, shortcodes and formulas. */
const TEMPLATE =
  /<[a-z/](?:"[^"]*"|'[^']*'|\{(?:[^{}]|\{[^{}]*\})*\}|[^<>"'{}])*>|<[a-z/][^<>]*>|\{\{[^{}]*\}\}|\{%[^%]*%\}|\$\$[^$]*\$\$/gi

/** Code spans, tags, addresses, shortcodes and formulas, as `[start, end)` in UTF-16 offsets. */
function findMarkup(table: BlockTable): number[] {
  const { text } = table
  const labels = listLabels(table)
  return Array.from(inlineBlocks(table), ({ parts }) => {
    const { start } = parts[0]!
    const templates = text.slice(start, parts.at(-1)!.end).matchAll(TEMPLATE)
    return [
      ...listMarkup(readInlines(text, parts, labels)),
      ...Array.from(templates, ({ 0: found, index }) => [start + index, start + index + found.length]),
    ]
  }).flat(2)
}

/** A sample term that is one token both alone and after a space. */
function chooseProbe(letters: readonly TermLetter[], countCached: (text: string) => number): string {
  const free = new Set(letters.map(({ term }) => term))
  const probes = free.size > 0 ? LETTER_PROBES.filter((probe) => free.has(probe)) : WORD_PROBES
  const found = probes.find((probe) => countCached(probe) === 1 && countCached(` ${probe}`) === 1)
  return found ?? letters[0]?.term ?? WORD_PROBES[0]!
}

const WORD_PROBES = ['ML', 'CT', 'KP', 'QA']
/** Letters that no token joins with the characters beside them in ordinary text. */
const LETTER_PROBES = ['한', '中', 'ア', '글', '网', 'コ', 'ก']

/**
 * Returns the ranges that no replacement may overlap, so that lines keep their structure and
 * headings their words: ascending, disjoint `[start, end)` pairs of UTF-16 offsets. Line endings
 * are not included, although no replacement may contain one either.
 * @param prose Nor table headers and HTML, so that terms are in prose only.
 */
export function protectLines(table: LineTable, prose = false): Int32Array<ArrayBuffer> {
  const { text, count, starts, ends, bodyStarts, bodyEnds, kinds } = table
  const ranges: number[] = []
  for (let line = 0; line < count; line++) {
    const kind = kinds[line]!
    const start = starts[line]!
    const end = ends[line]!
    const isHeading = kind === LineKind.atxHeading || kind === LineKind.headingText
    const isMarkup = kind === LineKind.htmlInside || kind === LineKind.tableHeader
    if (isStructureKind(kind) || isHeading || (prose && isMarkup)) {
      addRange(ranges, start, end)
      continue
    }
    addRange(ranges, start, bodyStarts[line]!)
    if (isRowKind(kind)) addPipes(text, bodyStarts[line]!, bodyEnds[line]!, ranges)
    addRange(ranges, bodyEnds[line]!, end)
  }
  return new Int32Array(ranges)
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
