import { findVerbatimRegions } from '../markdown/verbatim-regions.ts'
import type { Tokenizer } from '../tokens/types.ts'
import type { Scheme } from '../types.ts'
import { addGlossary, type WithGlossary, findPhrase, joinRanges } from './candidates/author-glossary.ts'
import { CharKind } from './text/char-kind.ts'
import { createTally, measureEdges, type EdgeCosts } from './cost/edge-costs.ts'
import { DominanceRule, EVERY_PHRASE, NeighbourRule, type UseRule } from './candidates/candidate-rules.ts'
import { findPhrases, type PhraseCosts } from './candidates/find-phrases.ts'
import { freeArrays } from './text/typed-arrays.ts'
import { HeaderCosts } from './cost/header-cost.ts'
import { cutPieces, scanParts, splitParts } from './text/join-texts.ts'
import { indexRepeats, type Repeats } from './candidates/index-repeats.ts'
import { lexUnits, type Units } from './text/lex-units.ts'
import { limitTerms, type TermLimit } from './selection/limit-terms.ts'
import { listSymbols, type TermSymbol } from './terms/symbol-table.ts'
import { listAcronyms } from './terms/make-acronyms.ts'
import { buildPhraseSet } from './candidates/build-phrase-set.ts'
import type { PhraseSet } from './candidates/phrase-set.ts'
import { ReadabilityRule } from './candidates/readability.ts'
import { SCHEME_PLANS, type SchemePlan } from './schemes.ts'
import type { LineTable } from '../markdown/line-table.ts'
import { protectLines } from '../markdown/protect-lines.ts'
import type { GlossaryRule } from './types.ts'

/** Units from which on a text may have use for more terms than there are. */
const LARGE = 1 << 17

export interface PrepareOptions {
  readonly scheme: Exclude<Scheme, 'none'>
  readonly tokenizer: Tokenizer
  readonly glossary: readonly GlossaryRule[]
  readonly code: boolean
  /** A character between texts that are compressed together, in none of them; absent for one text. */
  readonly separator?: string
}

/** A text ready for the selection: its units, what cuts cost, its phrases and where each may be used. */
export interface PreparedText extends Omit<WithGlossary, 'source'>, PrepareOptions {
  readonly plan: SchemePlan
  readonly units: Units
  readonly edges: EdgeCosts
  readonly set: PhraseSet
  readonly limit: TermLimit
  /** Lines of the text, where the scheme keeps them. */
  readonly lines: LineTable | undefined
  /** Counts short strings. */
  readonly tally: (text: string) => number
  /** Symbols that the text does not hold. */
  readonly symbols: readonly TermSymbol[]
  /** Acronyms that it does not hold, whatever their case. */
  readonly acronyms: readonly string[]
}

/** Cuts, measures and searches `text` (steps 1 to 3 of the algorithm in docs/compression.md). */
export function prepareText(text: string, options: PrepareOptions): PreparedText {
  const { scheme, tokenizer, glossary, code, separator } = options
  const plan = SCHEME_PLANS[scheme]
  const { readable, keepsLines } = plan
  const parts = splitParts(text, separator)
  const lines = keepsLines ? scanParts(parts, text) : undefined
  const blocked = joinRanges(
    lines ? protectLines(lines, { code: code || !readable }) : [],
    parts.flatMap((part) => findVerbatim(part.text).map((offset) => part.start + offset)),
    parts.slice(1).flatMap(({ start }) => [start - 1, start]),
    findNever(text, glossary),
  )
  const tally = createTally(tokenizer)
  const pieces = cutPieces(parts, tokenizer)
  const units = lexUnits(text, blocked, !keepsLines, readable ? undefined : pieces.ends)
  const symbols = readable ? [] : listFreeSymbols(tokenizer, text)
  const acronyms = readable ? listFreeAcronyms(tokenizer, units) : []
  const edges = measureEdges(units, pieces, tokenizer, chooseProbe(readable, tally))
  const headerCosts = new HeaderCosts(units, { tokenizer, pieces, tally, newlines: !keepsLines })
  const rule = readable ? new ReadabilityRule(units, edges) : EVERY_PHRASE
  const uses = new NeighbourRule(units, readable)
  const dominance = keepsAll(options) ? undefined : new DominanceRule(units, edges, headerCosts, uses)
  const terms = symbols.length + acronyms.length + glossary.length
  const isLarge = units.count >= LARGE
  const repeats = indexRepeats(units, keepsLines ? 'all' : isLarge ? 'few' : 'most')
  const costs = { units, edges, headerCosts, rule, dominance }
  const limit = isLarge ? limitLarge(repeats, costs, uses, terms) : { count: terms, price: 0 }
  const found = findPhrases(repeats, costs, limit)
  const { source, pins, phraseOfRule } = addGlossary(found, glossary, units, headerCosts, tally)
  freeArrays(repeats.lcp)
  headerCosts.free()
  const set = buildPhraseSet(source, edges, uses, !readable)
  freeArrays(found.from, found.to, found.places, found.extra, found.best)
  return {
    ...options,
    plan,
    units,
    edges,
    set,
    lines,
    limit,
    tally,
    symbols,
    acronyms,
    pins,
    phraseOfRule,
  }
}

/** Prices the terms of a large text by one phrase a repeat. */
function limitLarge(repeats: Repeats, costs: PhraseCosts, uses: UseRule, terms: number): TermLimit {
  const { places, ...found } = findPhrases(repeats, costs, { onePerRepeat: true })
  const limit = limitTerms({ places, ...found }, costs.edges, uses, terms)
  freeArrays(...Object.values(found))
  return limit
}

/**
 * Whether phrases count that others are as good as: readable ones do not touch and are judged one by one, what is named has a
 * cost of its own, and so has what several texts share.
 */
function keepsAll({ scheme, glossary, separator }: PrepareOptions): boolean {
  return SCHEME_PLANS[scheme].readable || separator !== undefined || glossary.some(({ never }) => !never)
}

/** The verbatim regions of `text`, `[start, end)` in UTF-16 offsets. */
export function findVerbatim(text: string): number[] {
  return findVerbatimRegions(text).flatMap(({ start, end }) => [start, end])
}

/** Where phrases stand that must never be replaced, `[start, end)` in UTF-16 offsets. */
export function findNever(text: string, glossary: readonly GlossaryRule[]): number[] {
  return glossary.flatMap(({ expansion, never }) => (never ? findPhrase(expansion, text) : []))
}

function listFreeSymbols(tokenizer: Tokenizer, text: string): TermSymbol[] {
  const present = new Uint8Array(0x10000)
  for (let at = 0; at < text.length; at++) present[text.charCodeAt(at)] = 1
  return listSymbols(tokenizer).filter(({ term }) => present[term.charCodeAt(0)] === 0)
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

/** A term of one token that merges with nothing but a space before it: what terms are expected to cost. */
function chooseProbe(readable: boolean, tally: (text: string) => number): string {
  const probes = readable ? READABLE_PROBES : SYMBOL_PROBES
  return probes.find((probe) => tally(probe) === 1 && tally(` ${probe}`) === 1) ?? probes[0]!
}

const READABLE_PROBES = ['ML', 'CT', 'KP', 'QA']
const SYMBOL_PROBES = ['•', '◆', '●', '■', '□', '♥', '→', '※']
