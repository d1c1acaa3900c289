import type { Scheme } from '@packs/codec'
import type { Tokenizer } from '@packs/codec/tokens'
import type { Highs } from 'highs'
import {
  type CandidateSet,
  FORBIDDEN_ADJACENCY,
} from '../../packages/codec/src/compress/candidates/candidate-set.ts'
import { prepareText } from '../../packages/codec/src/compress/prepare-text.ts'
import { SCHEME_PLANS } from '../../packages/codec/src/compress/schemes.ts'
import { selectEntries } from '../../packages/codec/src/compress/selection/select-entries.ts'
import { findOptimum, type Optimum } from './find-optimum.ts'
import { loadSolver } from './solve-model.ts'

/** One document under one scheme, in tokens of the cost model. */
export interface OptimumRow {
  readonly file: string
  readonly bytes: number
  readonly scheme: string
  readonly phrases: number
  readonly slots: number
  /** The reported value of the selection, its value recomputed from its occurrences, and its bound. */
  readonly value: number
  readonly weight: number
  readonly bound: number
  /** Whether every entry of the selection saves its floor. */
  readonly keepsFloors: boolean
  /**
   * `reached` ≤ true optimum ≤ `limit`. They are equal if the optimum was found in time; `limit` is `null` if
   * nothing was.
   */
  readonly reached: number
  readonly limit: number | null
  /** The same without floors. */
  readonly freeReached: number
  readonly freeLimit: number | null
  /** Optimum of the linear relaxation without floors. */
  readonly relaxed: number | null
  readonly seconds: number
}

export interface OptimumText {
  readonly file: string
  readonly bytes: number
  readonly text: string
}

export interface MeasureOptions {
  readonly scheme: Exclude<Scheme, 'none'>
  readonly tokenizer: Tokenizer
  /** Time limit for each of the two optima. */
  readonly seconds: number
  /** The optimum of sets with more occurrences is not searched. */
  readonly maxSlots: number
}

/** Selects entries as the compressor does, and finds the true optimum of the same problem. */
export async function measureOptimum(document: OptimumText, options: MeasureOptions): Promise<OptimumRow> {
  const { scheme, tokenizer, maxSlots } = options
  const { set } = prepareText(document.text, { scheme, tokenizer, glossary: [], code: false })
  const { value, bound, occurrences } = selectEntries(set, SCHEME_PLANS[scheme].steps.fast)
  const { value: weight, short } = weighSelection(set, occurrences)
  const started = performance.now()
  const seconds = set.occurrenceCount > maxSlots ? 0 : options.seconds
  const highs = await loadSolver()
  const free = findOptimum(highs, set, { least: weight, floors: false, seconds })
  const optimum = keepFloors(highs, set, free, { least: weight, seconds })
  return {
    file: document.file,
    bytes: document.bytes,
    scheme,
    phrases: set.count,
    slots: set.occurrenceCount,
    value,
    weight,
    bound,
    keepsFloors: short.length === 0,
    reached: optimum.reached,
    limit: toFinite(Math.min(optimum.bound, free.bound)),
    freeReached: free.reached,
    freeLimit: toFinite(free.bound),
    relaxed: free.relaxed ?? null,
    seconds: (performance.now() - started) / 1000,
  }
}

/**
 * Finds the optimum with floors. This is `free` if its entries keep their floors, or if those that do not can be
 * dropped without loss.
 */
function keepFloors(
  highs: Highs,
  set: CandidateSet,
  free: Optimum,
  options: { readonly least: number; readonly seconds: number },
): Optimum {
  if (free.occurrences === undefined) return free
  const { short } = weighSelection(set, free.occurrences)
  const settled = free.occurrences.filter(
    (occurrence) => !short.includes(set.occurrenceCandidate[occurrence]!),
  )
  const rest = weighSelection(set, settled)
  if (rest.value === free.reached && rest.short.length === 0) return free
  return findOptimum(highs, set, { ...options, floors: true })
}

function toFinite(value: number): number | null {
  return Number.isFinite(value) ? value : null
}

const TOLERANCE = 1e-6

/** Lists the faults of a row; none if value ≤ optimum ≤ bound and the selection is as reported. */
export function judgeOptimum(row: OptimumRow): string[] {
  const { value, weight, keepsFloors, bound, reached, limit } = row
  const faults: string[] = []
  if (value !== weight) faults.push(`the selection is worth ${weight}, not ${value}`)
  if (!keepsFloors) faults.push('an entry saves less than its floor')
  if (limit !== null && value > limit + TOLERANCE) faults.push(`value ${value} above the optimum ${limit}`)
  if (bound < reached - TOLERANCE) faults.push(`bound ${bound} below the optimum ${reached}`)
  return faults
}

/** Value of a selection. */
export interface Weight {
  /** Net tokens saved. */
  readonly value: number
  /** Candidates whose occurrences save less than their cost and floor. */
  readonly short: readonly number[]
}

/**
 * Computes the value of a selection from its occurrences alone, in ascending order.
 *
 * @throws {RangeError} if occurrences overlap, or touch where that is forbidden.
 */
export function weighSelection(set: CandidateSet, occurrences: Iterable<number>): Weight {
  const gross = new Map<number, number>()
  let last = -1
  for (const occurrence of occurrences) {
    const begin = set.occurrenceStart[occurrence]!
    const adjacencyGain = begin === last ? set.adjacencyGain[begin]! : 0
    if (begin < last || adjacencyGain === FORBIDDEN_ADJACENCY)
      throw new RangeError(`Uses overlap or touch at unit ${begin}`)
    last = set.occurrenceEnd[occurrence]!
    const candidate = set.occurrenceCandidate[occurrence]!
    gross.set(candidate, (gross.get(candidate) ?? 0) + set.occurrenceSaved[occurrence]! + adjacencyGain)
  }
  let value = 0
  const short: number[] = []
  for (const [candidate, saved] of gross) {
    value += saved - set.cost[candidate]!
    if (saved < set.cost[candidate]! + set.floor[candidate]!) short.push(candidate)
  }
  return { value, short }
}
