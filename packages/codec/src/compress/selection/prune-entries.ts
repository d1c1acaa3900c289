import { ShrinkingCover } from './shrinking-cover.ts'
import { freeArrays } from '../text/typed-arrays.ts'
import { type CandidateSet, dropUnusedBoundaries, restrictSet } from '../candidates/candidate-set.ts'

/** Entries that pay, and the occurrences they replace. */
export interface Selection {
  /** Net tokens saved under the cost model. */
  readonly value: number
  /** Ascending. */
  readonly occurrences: Int32Array
  /** Selected candidates, with the tokens that the occurrences of each save. */
  readonly gross: ReadonlyMap<number, number>
}

export const EMPTY_SELECTION: Selection = { value: 0, occurrences: new Int32Array(0), gross: new Map() }

const MAX_ROUNDS = 14

/**
 * Selects from the candidates marked in `wanted`: covers the text with them and drops those that do not pay for
 * their header.
 *
 * @param banned 1 for occurrences that must stay unused.
 */
export function pruneEntries(set: CandidateSet, wanted: Uint8Array, banned?: Uint8Array): Selection {
  const kept = restrictSet(set, wanted, banned)
  const part = dropUnusedBoundaries(kept)
  freeArrays(kept.occurrenceStart, kept.occurrenceEnd, kept.firstByEnd)
  const cover = new ShrinkingCover(part)
  const value = dropUnprofitable(part, cover)
  const gross = new Map<number, number>()
  for (let candidate = 0; candidate < part.count; candidate++) {
    if (cover.uses[candidate]! > 0) gross.set(part.originalCandidate[candidate]!, cover.gross[candidate]!)
  }
  const occurrences = cover.listUsed().map((occurrence) => part.originalOccurrence[occurrence]!)
  cover.free()
  freeArrays(part.occurrenceStart, part.occurrenceEnd, part.firstByEnd, part.adjacencyGain)
  freeArrays(
    part.occurrenceCandidate,
    part.occurrenceSaved,
    part.occurrencesByCandidate,
    part.originalOccurrence,
  )
  return { value, occurrences, gross }
}

/** Drops the worst third of the candidates that do not pay, until all pay. Returns the net tokens that these save. */
function dropUnprofitable({ count, cost, floor }: CandidateSet, cover: ShrinkingCover): number {
  const { uses, gross } = cover
  for (let round = 0; ; round++) {
    let value = 0
    const unprofitable: number[] = []
    for (let candidate = 0; candidate < count; candidate++) {
      if (uses[candidate] === 0) continue
      value += gross[candidate]! - cost[candidate]!
      if (gross[candidate]! < cost[candidate]! + floor[candidate]!) unprofitable.push(candidate)
    }
    if (unprofitable.length === 0) return value
    unprofitable.sort((a, b) => gross[a]! - cost[a]! - (gross[b]! - cost[b]!))
    const dropped = round >= MAX_ROUNDS ? unprofitable.length : Math.ceil(unprofitable.length / 3)
    cover.drop(unprofitable.slice(0, dropped))
  }
}

/** Marks candidates for {@link pruneEntries}. */
export function markCandidates(set: CandidateSet, candidates: Iterable<number>): Uint8Array {
  const marks = new Uint8Array(set.count)
  for (const candidate of candidates) marks[candidate] = 1
  return marks
}
