import type { GlossaryRule } from '../types.ts'
import type { HeaderCosts } from '../cost/header-costs.ts'
import type { Units } from '../text/lex-units.ts'
import type { CandidateSource } from './candidate-set.ts'
import { findAbove } from '../../binary-search.ts'
import { PhraseFinder } from '../text/phrase-finder.ts'

/** As `[start, end)` in UTF-16 offsets. Those of one phrase do not overlap. */
export function findPhrases(phrases: readonly string[], text: string): number[] {
  if (phrases.length === 0) return []
  const starts = new PhraseFinder(phrases).listStarts(text)
  return starts.flatMap((found, index) => found.flatMap((start) => [start, start + phrases[index]!.length]))
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

export interface WithGlossary {
  readonly source: CandidateSource
  readonly pins: ReadonlyMap<number, string>
  /** The candidate of each rule that names a phrase found in the text. */
  readonly candidateOfRule: ReadonlyMap<number, number>
}

/**
 * Adds the phrases that the author names as candidates, regardless of the scheme's rules. Other
 * candidates with the same text, or with a phrase of a pinned term in it, lose their occurrences.
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
  const wanted = rules.filter(({ expansion, never }) => !never && expansion !== '')
  if (wanted.length === 0) return { source, pins, candidateOfRule }
  const starts = new PhraseFinder(wanted.map(({ expansion }) => expansion)).listStarts(units.text)
  const startsOf = new Map(wanted.map((rule, index) => [rule, starts[index]!]))
  const blockedBefore = new Int32Array(units.count + 1)
  for (let unit = 0; unit < units.count; unit++)
    blockedBefore[unit + 1] = blockedBefore[unit]! + (units.blocked[unit] === 1 ? 1 : 0)
  const positions = [...source.positions]
  const added: Record<Exclude<keyof CandidateSource, 'positions'>, number>[] = []
  const named = new Set<string>()
  const lengths = new Set<number>()
  for (const [rule, value] of rules.entries()) {
    const { expansion, term } = value
    const found = findUnitOccurrences(expansion, startsOf.get(value) ?? [], units, blockedBefore)
    if (found.begins.length === 0) continue
    const candidate = source.sample.length + added.length
    named.add(expansion)
    lengths.add(expansion.length)
    candidateOfRule.set(rule, candidate)
    if (term !== undefined) pins.set(candidate, term)
    const sample = found.begins[0]!
    const { length } = found
    const [alone, spaced] = term === undefined ? [1, 1] : [countCached(term), countCached(` ${term}`)]
    const cost = headerCosts.count(sample, sample + length) + alone - 1
    const from = positions.length
    for (const begin of found.begins) positions.push(begin)
    added.push({ sample, length, cost, floor: 1, extra: spaced - 1, from, to: positions.length })
  }
  if (candidateOfRule.size === 0) return { source, pins, candidateOfRule }
  const join = (list: keyof (typeof added)[number]): number[] => [
    ...source[list],
    ...added.map((row) => row[list]),
  ]
  const to = Int32Array.from(join('to'))
  const pinned = rules.filter((rule, index) => rule.term !== undefined && candidateOfRule.has(index))
  const lastStarts =
    pinned.length === 0
      ? undefined
      : new PhraseFinder(pinned.map(({ expansion }) => expansion)).findLastStarts(units.text)
  for (let candidate = 0; candidate < source.sample.length; candidate++) {
    const begin = source.sample[candidate]!
    const start = units.starts[begin]!
    const end = units.starts[begin + source.length[candidate]!]!
    const containsPinned = lastStarts !== undefined && lastStarts[end]! >= start
    if (containsPinned || (lengths.has(end - start) && named.has(units.text.slice(start, end))))
      to[candidate] = source.from[candidate]!
  }
  return {
    source: {
      sample: Int32Array.from(join('sample')),
      length: Int32Array.from(join('length')),
      cost: Float64Array.from(join('cost')),
      floor: Int32Array.from(join('floor')),
      extra: Int32Array.from(join('extra')),
      from: Int32Array.from(join('from')),
      to,
      positions: Int32Array.from(positions),
    },
    pins,
    candidateOfRule,
  }
}

/** Occurrences that begin and end at boundaries of units, and contain no blocked unit. */
function findUnitOccurrences(
  expansion: string,
  starts: readonly number[],
  units: Units,
  blockedBefore: Int32Array,
): { begins: number[]; length: number } {
  const begins: number[] = []
  let length = 0
  for (const start of starts) {
    const begin = findUnit(units, start)
    const end = findUnit(units, start + expansion.length)
    if (begin < 0 || end < 0 || blockedBefore[begin] !== blockedBefore[end]) continue
    begins.push(begin)
    length = end - begin
  }
  return { begins, length }
}

function findUnit(units: Units, offset: number): number {
  const low = findAbove(units.starts, offset - 1, 0, units.count)
  return units.starts[low] === offset ? low : -1
}
