import { coverText, createCoverWorkspace, freeCoverWorkspace, type CoverWorkspace } from './cover-text.ts'
import { freeArrays } from '../text/typed-arrays.ts'
import {
  type CandidateSet,
  dropUnusedBoundaries,
  restrictSet,
  type RestrictedSet,
} from '../candidates/candidate-set.ts'

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
  const cover = createCoverWorkspace(part.units)
  const weights = new Float32Array(part.occurrenceSaved)
  const gross = new Float64Array(part.count)
  const selection = dropUnprofitable(part, cover, weights, gross)
  freeCoverWorkspace(cover)
  freeArrays(part.occurrenceStart, part.occurrenceEnd, part.firstByEnd, part.adjacencyGain)
  freeArrays(
    part.occurrenceCandidate,
    part.occurrenceSaved,
    part.occurrencesByCandidate,
    part.originalOccurrence,
    weights,
  )
  return selection
}

/** Drops the worst third of the candidates that do not pay and covers the text again, until all pay. */
function dropUnprofitable(
  part: RestrictedSet,
  cover: CoverWorkspace,
  weights: Float32Array,
  gross: Float64Array,
): Selection {
  for (let round = 0; ; round++) {
    coverText(part, weights, cover)
    let value = sumGross(part, cover.used, cover.usedCount, gross)
    const unprofitable: number[] = []
    for (let candidate = 0; candidate < part.count; candidate++) {
      if (gross[candidate] === 0) continue
      value -= part.cost[candidate]!
      if (gross[candidate]! < part.cost[candidate]! + part.floor[candidate]!) unprofitable.push(candidate)
    }
    if (unprofitable.length === 0) {
      const occurrences = cover.used.slice(0, cover.usedCount).reverse()
      const paying = new Map<number, number>()
      for (let candidate = 0; candidate < part.count; candidate++) {
        if (gross[candidate] !== 0) paying.set(part.originalCandidate[candidate]!, gross[candidate]!)
      }
      return {
        value,
        occurrences: occurrences.map((occurrence) => part.originalOccurrence[occurrence]!),
        gross: paying,
      }
    }
    unprofitable.sort((a, b) => gross[a]! - part.cost[a]! - (gross[b]! - part.cost[b]!))
    const dropped = round >= MAX_ROUNDS ? unprofitable.length : Math.ceil(unprofitable.length / 3)
    for (const candidate of unprofitable.slice(0, dropped)) {
      for (let at = part.firstByCandidate[candidate]!; at < part.firstByCandidate[candidate + 1]!; at++) {
        weights[part.occurrencesByCandidate[at]!] = -Infinity
      }
    }
  }
}

/** Marks candidates for {@link pruneEntries}. */
export function markCandidates(set: CandidateSet, candidates: Iterable<number>): Uint8Array {
  const marks = new Uint8Array(set.count)
  for (const candidate of candidates) marks[candidate] = 1
  return marks
}

function sumGross(set: CandidateSet, used: Int32Array, usedCount: number, gross: Float64Array): number {
  gross.fill(0)
  let sum = 0
  for (let at = 0; at < usedCount; at++) {
    const occurrence = used[at]!
    const begin = set.occurrenceStart[occurrence]!
    const touches = at + 1 < usedCount && begin === set.occurrenceEnd[used[at + 1]!]!
    const saved = set.occurrenceSaved[occurrence]! + (touches ? set.adjacencyGain[begin]! : 0)
    gross[set.occurrenceCandidate[occurrence]!]! += saved
    sum += saved
  }
  return sum
}
