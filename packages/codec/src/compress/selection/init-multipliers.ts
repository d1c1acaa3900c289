import { freeArrays } from '../text/typed-arrays.ts'
import type { CandidateSet } from '../candidates/candidate-set.ts'
import type { Selection } from './prune-entries.ts'

/**
 * A multiplier for each occurrence: the part of its entry's cost that it carries. Those of a candidate sum to at most
 * its cost. They are in the order of `occurrencesByCandidate`, so that a step on a candidate reads them in sequence; the
 * place of an occurrence there is its rank.
 */
export interface Multipliers {
  readonly values: Float32Array
  /** Tokens that the occurrence of each rank saves. */
  readonly saved: Int16Array
  readonly rankOf: Int32Array
}

/**
 * Creates multipliers in proportion to what an occurrence saves beyond the savings that it would displace from
 * `selection`.
 */
export function initMultipliers(set: CandidateSet, selection: Selection): Multipliers {
  const { occurrenceStart, occurrenceEnd, firstByCandidate, occurrencesByCandidate, cost } = set
  const { prices, chosen } = priceUnits(set, selection)
  const values = new Float32Array(set.occurrenceCount)
  const saved = new Int16Array(set.occurrenceCount)
  const rankOf = new Int32Array(set.occurrenceCount)
  for (let candidate = 0; candidate < set.count; candidate++) {
    const isChosen = selection.gross.has(candidate)
    const from = firstByCandidate[candidate]!
    const to = firstByCandidate[candidate + 1]!
    let sum = 0
    for (let rank = from; rank < to; rank++) {
      const occurrence = occurrencesByCandidate[rank]!
      const tokens = set.occurrenceSaved[occurrence]!
      saved[rank] = tokens
      rankOf[occurrence] = rank
      const price = prices[occurrenceEnd[occurrence]!]! - prices[occurrenceStart[occurrence]!]!
      if (!isChosen) values[rank] = Math.max(0, tokens - price)
      else if (chosen[occurrence] === 1) values[rank] = tokens
      sum += values[rank]!
    }
    for (let rank = from; rank < to; rank++)
      values[rank] = sum > 0 ? (values[rank]! * cost[candidate]!) / sum : cost[candidate]! / (to - from)
  }
  freeArrays(prices, chosen)
  return { values, saved, rankOf }
}

/** Frees the memory; the multipliers must not be used afterwards. */
export function freeMultipliers({ values, saved, rankOf }: Multipliers): void {
  freeArrays(values, saved, rankOf)
}

/** Sums what the units before each boundary save in a selection, net; and marks the occurrences of the selection. */
function priceUnits(
  set: CandidateSet,
  selection: Selection,
): { readonly prices: Float64Array; readonly chosen: Uint8Array } {
  const prices = new Float64Array(set.units + 1)
  const chosen = new Uint8Array(set.occurrenceCount)
  for (const occurrence of selection.occurrences) {
    chosen[occurrence] = 1
    const candidate = set.occurrenceCandidate[occurrence]!
    const net =
      set.occurrenceSaved[occurrence]! * (1 - set.cost[candidate]! / selection.gross.get(candidate)!)
    prices.fill(net / set.length[candidate]!, set.occurrenceStart[occurrence], set.occurrenceEnd[occurrence])
  }
  for (let unit = 0, sum = 0; unit <= set.units; unit++) {
    const price = prices[unit]!
    prices[unit] = sum
    sum += price
  }
  return { prices, chosen }
}
