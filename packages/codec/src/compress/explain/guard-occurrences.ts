import type { PositionGuard } from './rejection.ts'
import type { Units } from '../text/lex-units.ts'
import { findMarkup, findNever, findVerbatim, type PreparedText } from '../prepare-text.ts'
import type { OccurrenceRule } from '../candidates/candidate-rules.ts'
import { protectLines } from '../text/protect-lines.ts'

/** Returns what forbids replacing units `begin` up to `end`, or undefined. */
export type OccurrenceGuard = (begin: number, end: number) => PositionGuard | undefined

const GUARDS = ['never', 'verbatim', 'place', 'structure', 'code'] as const

/**
 * Creates the guard for a text's occurrences.
 *
 * @param occurrenceRule Where a term is possible at all.
 */
export function createOccurrenceGuard(
  prepared: PreparedText,
  occurrenceRule: OccurrenceRule,
): OccurrenceGuard {
  const { units, plan, lines, glossary, code, mdx } = prepared
  const { text } = units
  const guards = new Uint8Array(units.count)
  const marks = [
    lines && plan.readable && !code ? protectLines(lines, { code: false }) : [],
    lines ? protectLines(lines, { code: true, readable: plan.readable }) : [],
    plan.readable ? findMarkup(text) : [],
    findVerbatim(text, mdx),
    findNever(text, glossary),
  ]
  for (const [index, ranges] of marks.entries()) markUnits(units, ranges, guards, GUARDS.length - index)
  const firstGuarded = buildNextGuarded(guards)
  return (begin, end) => {
    const guarded = firstGuarded[begin]!
    if (guarded < end) return GUARDS[guards[guarded]! - 1]
    if (occurrenceRule(begin, end)) return undefined
    return plan.readable ? 'place' : 'seam'
  }
}

/** Returns the selected occurrence that contains each unit; -1 if none does. */
export function mapOccupiedUnits({ set, units }: PreparedText, occurrences: Int32Array): Int32Array {
  const occupants = new Int32Array(units.count).fill(-1)
  for (const occurrence of occurrences)
    occupants.fill(occurrence, set.occurrenceStart[occurrence], set.occurrenceEnd[occurrence])
  return occupants
}

export interface SavingSum {
  readonly uses: number
  readonly gross: number
}

/**
 * Sums what a phrase saves at `positions` (ascending first units), from left to right without
 * overlaps.
 *
 * @param occupants The result of {@link mapOccupiedUnits}: occurrences next to occupied units save
 *   more or less.
 */
export function sumSavings(
  { boundaries, set }: PreparedText,
  positions: readonly number[],
  length: number,
  occupants?: Int32Array,
): SavingSum {
  let uses = 0
  let gross = 0
  let free = 0
  for (const begin of positions) {
    const end = begin + length
    let saved = boundaries.ends[end]! - boundaries.begins[begin]!
    if (occupants && begin > 0 && occupants[begin - 1]! >= 0) saved += set.adjacencyGain[begin]!
    if (occupants && end < occupants.length && occupants[end]! >= 0) saved += set.adjacencyGain[end]!
    if (begin < free || saved <= 0) continue
    uses++
    gross += saved
    free = end
  }
  return { uses, gross }
}

function markUnits(units: Units, ranges: ArrayLike<number>, marks: Uint8Array, mark: number): void {
  const { starts, count } = units
  const pairs = Array.from(
    { length: ranges.length / 2 },
    (_, at) => [ranges[2 * at]!, ranges[2 * at + 1]!] as const,
  )
  pairs.sort((a, b) => a[0] - b[0])
  let unit = 0
  for (const [start, end] of pairs) {
    while (unit > 0 && starts[unit]! > start) unit--
    while (unit < count && starts[unit + 1]! <= start) unit++
    for (; unit < count && starts[unit]! < end; unit++) marks[unit] = mark
  }
}

function buildNextGuarded(guards: Uint8Array): Int32Array {
  const next = new Int32Array(guards.length + 1)
  next[guards.length] = guards.length
  for (let unit = guards.length - 1; unit >= 0; unit--)
    next[unit] = guards[unit] === 0 ? next[unit + 1]! : unit
  return next
}
