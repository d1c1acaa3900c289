import type { PlaceGuard } from './rejection.ts'
import type { Units } from '../text/lex-units.ts'
import { findNever, findVerbatim, type PreparedText } from '../prepare-text.ts'
import { cutsNumber, type UseRule } from '../candidates/candidate-rules.ts'
import { protectLines } from '../../markdown/protect-lines.ts'

/** What keeps units `begin` up to `end` from being used: a guard, the rule R4, or nothing. */
export type PlaceJudge = (begin: number, end: number) => PlaceGuard | 'R4' | undefined

const GUARDS = ['never', 'verbatim', 'structure', 'code'] as const

/**
 * Creates the judge of places.
 *
 * @param uses Where a term can stand at all.
 */
export function createPlaceJudge(prepared: PreparedText, uses: UseRule): PlaceJudge {
  const { units, plan, lines, glossary, code } = prepared
  const { text } = units
  const guards = new Uint8Array(units.count)
  const marks = [
    lines && plan.readable && !code ? protectLines(lines, { code: false }) : [],
    lines ? protectLines(lines, { code: true }) : [],
    findVerbatim(text),
    findNever(text, glossary),
  ]
  for (const [place, ranges] of marks.entries()) markUnits(units, ranges, guards, GUARDS.length - place)
  const firstGuarded = buildNextGuarded(guards)
  return (begin, end) => {
    const guarded = firstGuarded[begin]!
    if (guarded < end) return GUARDS[guards[guarded]! - 1]
    if (uses.allows(begin, end)) return undefined
    return plan.readable && cutsNumber(units, begin, end) ? 'R4' : 'seam'
  }
}

/** The chosen slot that holds each unit, -1 where none does. */
export function mapTakenUnits({ set, units }: PreparedText, slots: Int32Array): Int32Array {
  const takers = new Int32Array(units.count).fill(-1)
  for (const slot of slots) takers.fill(slot, set.slotStart[slot], set.slotEnd[slot])
  return takers
}

/** Uses of a phrase that do not overlap, and the tokens they save. */
export interface UseSum {
  readonly uses: number
  readonly gross: number
}

/**
 * Adds up what a phrase saves at `places`, rising first units, from left to right where they do not overlap.
 *
 * @param takers As {@link mapTakenUnits} gives it: uses beside taken units save more or less by touching them.
 */
export function sumUses(
  { edges, set }: PreparedText,
  places: readonly number[],
  length: number,
  takers?: Int32Array,
): UseSum {
  let uses = 0
  let gross = 0
  let free = 0
  for (const begin of places) {
    const end = begin + length
    let saved = edges.ends[end]! - edges.begins[begin]!
    if (takers && begin > 0 && takers[begin - 1]! >= 0) saved += set.glue[begin]!
    if (takers && end < takers.length && takers[end]! >= 0) saved += set.glue[end]!
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

/** First marked unit from each unit on. */
function buildNextGuarded(guards: Uint8Array): Int32Array {
  const next = new Int32Array(guards.length + 1)
  next[guards.length] = guards.length
  for (let unit = guards.length - 1; unit >= 0; unit--)
    next[unit] = guards[unit] === 0 ? next[unit + 1]! : unit
  return next
}
