import { checkEntry } from '../../rosetta/check-entry.ts'
import { CodecError } from '../../errors.ts'
import { CompressError } from '../compress-error.ts'
import type { GlossaryRule } from '../types.ts'
import type { HeaderCosts } from '../cost/header-costs.ts'
import type { Units } from '../text/lex-units.ts'
import type { CandidateSource } from './candidate-set.ts'
import { codePointBefore } from '../text/char-kind.ts'
import { isWordCodePoint } from '../../decode/word-edge.ts'

const MAX_COLLISIONS = 100

/** Throws if a glossary contradicts itself or the text (SPEC.md, author's glossary). */
export function checkGlossary(rules: readonly GlossaryRule[], text: string): void {
  const terms = new Set<string>()
  const expansions = new Set<string>()
  for (const [rule, { expansion, term, never }] of rules.entries()) {
    const refuse = (message: string, hint: string): never => {
      throw new CompressError(
        'invalid_glossary',
        `${message}: ${JSON.stringify(expansion.slice(0, 80))}`,
        hint,
        { rule },
      )
    }
    if (expansions.has(expansion)) refuse('Two rules for one phrase', 'Keep one of them.')
    expansions.add(expansion)
    if (never && term !== undefined)
      refuse('A phrase that is never replaced has a term', 'Leave out the term or the "never".')
    if (term === undefined) continue
    try {
      checkEntry({ term, expansion }, terms, {})
    } catch (error) {
      if (error instanceof CodecError) refuse(error.message, error.hint)
      throw error
    }
    const offsets = findTermInText(term, text, MAX_COLLISIONS)
    if (offsets.length === 0) continue
    throw new CompressError(
      'term_collision',
      `Term occurs in the text: ${JSON.stringify(term)}`,
      'Choose a term that the text does not contain.',
      { rule, offsets },
    )
  }
}

/** Finds each occurrence of `expansion` in `text`, as `[start, end)` in UTF-16 offsets, not overlapping. */
export function findExpansion(expansion: string, text: string): number[] {
  const ranges: number[] = []
  if (expansion === '') return ranges
  for (let at = text.indexOf(expansion); at >= 0; at = text.indexOf(expansion, at + expansion.length))
    ranges.push(at, at + expansion.length)
  return ranges
}

/** Merges lists of `[start, end)` pairs into one, ascending and without overlaps. */
export function mergeRanges(...lists: readonly ArrayLike<number>[]): Int32Array {
  const pairs: [number, number][] = []
  for (const list of lists) for (let at = 0; at < list.length; at += 2) pairs.push([list[at]!, list[at + 1]!])
  pairs.sort((a, b) => a[0] - b[0] || a[1] - b[1])
  const joined: number[] = []
  for (const [start, end] of pairs) {
    const last = joined.length - 1
    if (last > 0 && start <= joined[last]!) joined[last] = Math.max(joined[last]!, end)
    else if (end > start) joined.push(start, end)
  }
  return Int32Array.from(joined)
}

/** Candidates including those that the author names. */
export interface WithGlossary {
  readonly source: CandidateSource
  /** The author's terms, by candidate. */
  readonly pins: ReadonlyMap<number, string>
  /** The candidate of each rule that names a phrase found in the text. */
  readonly candidateOfRule: ReadonlyMap<number, number>
}

/**
 * Adds the phrases that the author names as candidates, whatever the scheme's rules say about them. Other
 * candidates with the same text, or that contain a phrase with a pinned term, lose their occurrences.
 */
export function addGlossary(
  source: CandidateSource,
  rules: readonly GlossaryRule[],
  units: Units,
  headerCosts: HeaderCosts,
  countCached: (text: string) => number,
): WithGlossary {
  const pins = new Map<number, string>()
  const candidateOfRule = new Map<number, number>()
  const added = {
    sample: [] as number[],
    length: [] as number[],
    cost: [] as number[],
    floor: [] as number[],
    extra: [] as number[],
  }
  const ranges = { from: [] as number[], to: [] as number[], positions: [] as number[] }
  const named = new Map<string, number>()
  for (const [rule, { expansion, term, never }] of rules.entries()) {
    if (never) continue
    const found = findUnitOccurrences(expansion, units)
    if (found.begins.length === 0) continue
    const candidate = source.sample.length + added.sample.length
    named.set(expansion, candidate)
    candidateOfRule.set(rule, candidate)
    if (term !== undefined) pins.set(candidate, term)
    const begin = found.begins[0]!
    added.sample.push(begin)
    added.length.push(found.length)
    added.cost.push(
      headerCosts.count(begin, begin + found.length) + (term === undefined ? 0 : countCached(term) - 1),
    )
    added.floor.push(1)
    added.extra.push(term === undefined ? 0 : countCached(` ${term}`) - 1)
    ranges.from.push(source.positions.length + ranges.positions.length)
    ranges.positions.push(...found.begins)
    ranges.to.push(source.positions.length + ranges.positions.length)
  }
  if (candidateOfRule.size === 0) return { source, pins, candidateOfRule }
  const to = Int32Array.from([...source.to, ...ranges.to])
  const pinned = rules
    .filter((rule, index) => rule.term !== undefined && candidateOfRule.has(index))
    .map((rule) => rule.expansion)
  for (let candidate = 0; candidate < source.sample.length; candidate++) {
    const start = source.sample[candidate]!
    const text = units.text.slice(units.starts[start], units.starts[start + source.length[candidate]!])
    if (named.has(text) || pinned.some((expansion) => text.includes(expansion)))
      to[candidate] = source.from[candidate]!
  }
  return {
    source: {
      sample: Int32Array.from([...source.sample, ...added.sample]),
      length: Int32Array.from([...source.length, ...added.length]),
      cost: Float64Array.from([...source.cost, ...added.cost]),
      floor: Int32Array.from([...source.floor, ...added.floor]),
      extra: Int32Array.from([...source.extra, ...added.extra]),
      from: Int32Array.from([...source.from, ...ranges.from]),
      to,
      positions: Int32Array.from([...source.positions, ...ranges.positions]),
    },
    pins,
    candidateOfRule,
  }
}

/**
 * Finds the occurrences of `expansion` that start and end at unit boundaries and contain no blocked unit, as first
 * units.
 */
function findUnitOccurrences(expansion: string, units: Units): { begins: number[]; length: number } {
  const begins: number[] = []
  let length = 0
  const found = findExpansion(expansion, units.text)
  for (let at = 0; at < found.length; at += 2) {
    const begin = findUnit(units, found[at]!)
    const end = findUnit(units, found[at + 1]!)
    if (begin < 0 || end < 0 || units.blocked.subarray(begin, end).includes(1)) continue
    begins.push(begin)
    length = end - begin
  }
  return { begins, length }
}

function findUnit(units: Units, offset: number): number {
  let low = 0
  let high = units.count
  while (low < high) {
    const middle = (low + high) >> 1
    if (units.starts[middle]! < offset) low = middle + 1
    else high = middle
  }
  return units.starts[low] === offset ? low : -1
}

/**
 * Finds the UTF-16 offsets where `term` occurs in `text` so that it must not be a term (SPEC.md, terms): as a whole
 * run of word characters in any case if it starts and ends with word characters; anywhere otherwise.
 */
export function findTermInText(term: string, text: string, most: number): number[] {
  const isWord = isWordCodePoint(term.codePointAt(0)!) && isWordCodePoint(codePointBefore(term, term.length))
  const offsets: number[] = []
  const haystacks = isWord ? [text, text.toLowerCase(), text.toUpperCase()] : [text]
  const needles = isWord ? [term, term.toLowerCase(), term.toUpperCase()] : [term]
  for (const [index, haystack] of haystacks.entries()) {
    const needle = needles[index]!
    for (let at = haystack.indexOf(needle); at >= 0; at = haystack.indexOf(needle, at + 1)) {
      if (isWord && !standsFree(haystack, at, at + needle.length)) continue
      if (!offsets.includes(at)) offsets.push(at)
      if (offsets.length >= most) return offsets
    }
  }
  return offsets.sort((a, b) => a - b)
}

function standsFree(text: string, from: number, to: number): boolean {
  const before = codePointBefore(text, from)
  const after = to < text.length ? text.codePointAt(to)! : 0
  return !(from > 0 && isWordCodePoint(before)) && !(to < text.length && isWordCodePoint(after))
}
