import {
  type CandidateUsage,
  countSignLoss,
  scoreSymbols,
  type ScoreOptions,
  type SymbolScore,
} from './score-symbols.ts'
import { CharKind } from '../text/char-kind.ts'
import { escapeExpansion } from '../cost/header-costs.ts'
import { makeAcronyms } from './make-acronyms.ts'
import type { SchemePlan } from '../schemes.ts'
import { readCandidateText } from '../candidates/build-candidate-set.ts'
import type { CandidateSet } from '../candidates/candidate-set.ts'
import type { Units } from '../text/lex-units.ts'
import { type TermSymbol, describeContext, type TermContext } from './symbol-table.ts'
import type { Selection } from '../selection/prune-entries.ts'

/** What `assignTerms` needs: the text, its candidates, and the unused terms. */
export interface TermOptions extends ScoreOptions {
  readonly units: Units
  readonly set: CandidateSet
  readonly plan: SchemePlan
  /** Terms that the author fixed, by candidate. */
  readonly pins: ReadonlyMap<number, string>
  /** Unused symbols, the cheapest first. */
  readonly symbols: readonly TermSymbol[]
  readonly acronyms: readonly string[]
}

/**
 * Assigns each selected candidate a term that the text does not contain. If the terms run out, the result does not
 * contain the remaining candidates.
 */
export function assignTerms(options: TermOptions, { occurrences, gross }: Selection): Map<number, string> {
  const { pins, plan, symbols, acronyms } = options
  const unpinned = countUsages(options, occurrences).filter(({ candidate }) => !pins.has(candidate))
  const pinned = [...pins].filter(([candidate]) => gross.has(candidate))
  const reserved = new Set(pins.values())
  if (plan.readable) {
    const taken = new Set(Array.from(reserved, (pin) => pin.toUpperCase()))
    const free = acronyms.filter((acronym) => !taken.has(acronym))
    const assigned = makeAcronyms(mapTextsByUse(options, unpinned), free)
    return new Map([...pinned, ...assigned])
  }
  const free = symbols.filter(({ term }) => ![...reserved].some((pin) => pin.includes(term)))
  return new Map([...pinned, ...assignSymbols(unpinned, free, scoreSymbols(unpinned, free, options))])
}

function mapTextsByUse(options: TermOptions, usages: readonly CandidateUsage[]): Map<number, string> {
  const order = usages.toSorted(byCount)
  return new Map(order.map(({ candidate }) => [candidate, readCandidateText(options, candidate)]))
}

// Blocks of letters instead of \p{L}, which depends on the version of Unicode: a pack is the same on every machine.
const LETTER = /[A-Za-z\u00c0-\u1fff\u2c00-\u2fef\u3041-\ud7ff\uf900-\ufdff]/
/** Limit of the different contexts of a text that are told apart. No real text of the benchmark has as many. */
const CONTEXTS_PER_BYTE = 1 / 48
const MIN_CONTEXTS = 256

function countUsages(options: TermOptions, occurrences: Int32Array): CandidateUsage[] {
  const { set, units, plan } = options
  const { text, starts, kinds } = units
  const usages = new Map<number, UsageCounts>()
  const contexts = new Map<string, TermContext>()
  const signLosses = new Map<TermContext, number>()
  const most = MIN_CONTEXTS + units.bytes * CONTEXTS_PER_BYTE
  for (const [at, occurrence] of occurrences.entries()) {
    const candidate = set.occurrenceCandidate[occurrence]!
    const usage = usages.get(candidate) ?? createUsage(options, candidate)
    const begin = set.occurrenceStart[occurrence]!
    usage.count++
    if (begin > 0 && kinds[begin - 1] === CharKind.space) usage.afterSpace++
    const from = at > 0 ? starts[set.occurrenceEnd[occurrences[at - 1]!]!]! : 0
    const to = at + 1 < occurrences.length ? starts[set.occurrenceStart[occurrences[at + 1]!]!]! : text.length
    const found = describeContext(text, starts[begin]!, starts[set.occurrenceEnd[occurrence]!]!, from, to)
    const key = `${found.left}\0${found.right}`
    const context = contexts.get(key) ?? found
    usages.set(candidate, usage)
    if (context === found && contexts.size >= most) continue
    contexts.set(key, context)
    if (context === found) signLosses.set(context, plan.readable ? 0 : countSignLoss(context, options))
    usage.signLoss += signLosses.get(context)!
    usage.contexts.set(context, (usage.contexts.get(context) ?? 0) + 1)
  }
  return [...usages.values()]
}

/** The part of an expansion that may merge with the `=` before it. */
const MAX_HEAD = 16

/** A {@link CandidateUsage} while its occurrences are counted. */
interface UsageCounts extends CandidateUsage {
  count: number
  afterSpace: number
  signLoss: number
  readonly contexts: Map<TermContext, number>
}

function createUsage(options: TermOptions, candidate: number): UsageCounts {
  const { plan } = options
  const expansion = readCandidateText(options, candidate)
  const head = escapeExpansion(expansion.slice(0, MAX_HEAD))
  return {
    candidate,
    count: 0,
    afterSpace: 0,
    contexts: new Map(),
    signLoss: plan.readable ? 0 : countSignLoss({ left: '|', right: `=${head}` }, options),
    lacksLetter: plan.plainNumbers && !LETTER.test(expansion),
  }
}

/**
 * Assigns each candidate a symbol: first the symbols with scores, where they save most, then the others by number of
 * occurrences. If the terms run out, the result does not contain the remaining candidates.
 *
 * The first part is an assignment problem. Few symbols merge with more than a space, so the best scores are assigned
 * greedily, then improved by exchanges.
 *
 * @param free Unused symbols, the cheapest first.
 * @param scores Positive scores.
 */
export function assignSymbols(
  candidates: readonly CandidateUsage[],
  free: readonly TermSymbol[],
  scores: readonly SymbolScore[],
): Map<number, string> {
  const held = exchangeSymbols(scores)
  const terms = new Map([...held].map(([candidate, { term }]) => [candidate, term]))
  const taken = new Set(terms.values())
  assignRest(
    candidates.filter(({ candidate }) => !terms.has(candidate)),
    free.filter(({ term }) => !taken.has(term)),
    terms,
  )
  return terms
}

/** A candidate with its scores, the best first, and the score of the symbol that it holds, if it holds one. */
interface Holder {
  readonly candidate: number
  readonly scores: SymbolScore[]
  held: SymbolScore | undefined
}

/**
 * Assigns by score, highest first; then goes through the scores once more and moves a candidate to an unused symbol,
 * or exchanges symbols, if that gains.
 */
function exchangeSymbols(scores: readonly SymbolScore[]): Map<number, TermSymbol> {
  const ranked = rankScores(scores)
  const holders = new Map<number, Holder>()
  const symbolHolders = new Map<TermSymbol, Holder>()
  for (const score of ranked) {
    const { candidate } = score.usage
    let holder = holders.get(candidate)
    if (holder === undefined) holders.set(candidate, (holder = { candidate, scores: [], held: undefined }))
    holder.scores.push(score)
    if (holder.held === undefined && !symbolHolders.has(score.symbol))
      holdSymbol(holder, score, symbolHolders)
  }
  for (const score of ranked) {
    const holder = holders.get(score.usage.candidate)!
    const current = holder.held
    if (current?.symbol === score.symbol) continue
    const rival = symbolHolders.get(score.symbol)
    const gainBefore = gainOf(current) + gainOf(rival?.held)
    // Even with its best symbol the rival could not make up for the loss.
    if (score.gain + gainOf(rival?.scores[0]) <= gainBefore) continue
    const alternative = rival && findAlternative(rival, current?.symbol, symbolHolders)
    if (score.gain + gainOf(alternative) <= gainBefore) continue
    if (current !== undefined) symbolHolders.delete(current.symbol)
    if (rival !== undefined) holdSymbol(rival, alternative, symbolHolders)
    holdSymbol(holder, score, symbolHolders)
  }
  return new Map(
    Array.from(holders.values()).flatMap(({ candidate, held }) => (held ? [[candidate, held.symbol]] : [])),
  )
}

/**
 * Sorts by falling gain, then by candidate. Grouping by gain is faster than one sort, as there are few different
 * gains.
 */
function rankScores(scores: readonly SymbolScore[]): SymbolScore[] {
  const groups = new Map<number, SymbolScore[]>()
  for (const score of scores) {
    const group = groups.get(score.gain)
    if (group) group.push(score)
    else groups.set(score.gain, [score])
  }
  const order = [...groups].sort((a, b) => b[0] - a[0])
  return order.flatMap(([, group]) => group.sort((a, b) => a.usage.candidate - b.usage.candidate))
}

function holdSymbol(
  holder: Holder,
  score: SymbolScore | undefined,
  symbolHolders: Map<TermSymbol, Holder>,
): void {
  holder.held = score
  if (score !== undefined) symbolHolders.set(score.symbol, holder)
}

/** Returns the best score for a candidate that gives up its symbol: the symbol offered in exchange, or an unused one. */
function findAlternative(
  { scores }: Holder,
  offered: TermSymbol | undefined,
  symbolHolders: ReadonlyMap<TermSymbol, Holder>,
): SymbolScore | undefined {
  return scores.find(({ symbol }) => symbol === offered || !symbolHolders.has(symbol))
}

function gainOf(score: SymbolScore | undefined): number {
  return score?.gain ?? 0
}

/**
 * Reserves the symbols that merge with a space, as far as they are cheap behind one, for the candidates that most often
 * follow one. Both these candidates and the others get their symbols by number of occurrences: the most used one gets
 * the cheapest symbol.
 */
function assignRest(
  candidates: readonly CandidateUsage[],
  free: readonly TermSymbol[],
  terms: Map<number, string>,
): void {
  const merging = free
    .filter((symbol) => symbol.mergesWithSpace)
    .toSorted((a, b) => a.spacedCost - b.spacedCost)
  const order = candidates.toSorted((a, b) => b.afterSpace - a.afterSpace || byCount(a, b))
  const spaced = order
    .filter((usage, rank) => usage.afterSpace > 0 && rank < merging.length)
    .toSorted(byCount)
  assignInOrder(spaced, merging, terms)
  const taken = new Set(terms.values())
  const unused = free.filter(({ term }) => !taken.has(term))
  assignInOrder(candidates.filter(({ candidate }) => !terms.has(candidate)).toSorted(byCount), unused, terms)
}

/**
 * Assigns each candidate the first unused symbol that may stand for it, and a sign only if it costs no more than a letter
 * or no letter is left.
 */
function assignInOrder(
  candidates: readonly CandidateUsage[],
  symbols: readonly TermSymbol[],
  terms: Map<number, string>,
): void {
  const unused = [...symbols]
  for (const { candidate, lacksLetter, signLoss } of candidates) {
    const allows = ({ needsLetter }: TermSymbol): boolean => !(lacksLetter && needsLetter)
    const fitting = unused.findIndex((symbol) => allows(symbol) && (symbol.isLetter || signLoss <= 0))
    const at = fitting < 0 ? unused.findIndex(allows) : fitting
    if (at < 0) continue
    terms.set(candidate, unused[at]!.term)
    unused.splice(at, 1)
  }
}

function byCount(a: CandidateUsage, b: CandidateUsage): number {
  return b.count - a.count || a.candidate - b.candidate
}
