import type { CandidateSet } from '../candidates/candidate-set.ts'
import type { ActiveOccurrences } from './active-occurrences.ts'
import type { Multipliers } from './init-multipliers.ts'

/** Candidates that a cover uses, how often, and what their occurrences save. */
export interface CoverUsage {
  readonly counts: Int32Array
  readonly gross: Float64Array
  candidates: number[]
}

/** Counts how often the cover `used`, of active occurrences, uses each candidate. */
export function countUsage(
  { candidates, ranks }: ActiveOccurrences,
  { saved }: Multipliers,
  used: Int32Array,
  usage: CoverUsage,
): void {
  for (const candidate of usage.candidates) {
    usage.counts[candidate] = 0
    usage.gross[candidate] = 0
  }
  usage.candidates = []
  for (const occurrence of used) {
    const candidate = candidates[occurrence]!
    if (usage.counts[candidate]!++ === 0) usage.candidates.push(candidate)
    usage.gross[candidate]! += saved[ranks[occurrence]!]!
  }
}

/** Rounds of cutting multipliers down; the remaining excess is removed by scaling. */
const MAX_ROUNDS = 3

/**
 * Takes one step on the multipliers of each used candidate, whose sum stays the same, and sets the weights of its active
 * occurrences. Returns the step; 0 if there is nothing to move.
 *
 * @param gap What the cover is worth beyond the value to reach, × a factor.
 */
export function stepMultipliers(
  { cost, firstByCandidate }: CandidateSet,
  { values, saved }: Multipliers,
  { ranks, slots, weights }: ActiveOccurrences,
  used: Int32Array,
  usage: CoverUsage,
  gap: number,
): number {
  let norm = 0
  for (const candidate of usage.candidates) {
    const count = usage.counts[candidate]!
    norm += count * (1 - count / (firstByCandidate[candidate + 1]! - firstByCandidate[candidate]!))
  }
  if (norm < 1e-9 || gap <= 0) return 0
  const step = gap / norm
  for (const occurrence of used) values[ranks[occurrence]!]! += step
  for (const candidate of usage.candidates) {
    const from = firstByCandidate[candidate]!
    const to = firstByCandidate[candidate + 1]!
    cutMultipliers(values, from, to, usage.counts[candidate]! * step)
    let sum = 0
    for (let rank = from; rank < to; rank++) sum += values[rank]!
    const scale = sum > cost[candidate]! ? cost[candidate]! / sum : 1
    for (let rank = from; rank < to; rank++) {
      values[rank] = values[rank]! * scale
      const slot = slots[rank]!
      if (slot >= 0) weights[slot] = saved[rank]! - values[rank]!
    }
  }
  return step
}

/** Lowers the positive multipliers of ranks `from` up to `to` by equal parts of `excess`, none below 0. */
function cutMultipliers(values: Float32Array, from: number, to: number, excess: number): void {
  let rest = excess
  for (let round = 0; rest > 1e-6 && round < MAX_ROUNDS; round++) {
    let positive = 0
    for (let rank = from; rank < to; rank++) if (values[rank]! > 0) positive++
    const cut = rest / positive
    rest = 0
    for (let rank = from; rank < to; rank++) {
      const multiplier = values[rank]!
      if (multiplier <= 0) continue
      values[rank] = Math.max(0, multiplier - cut)
      rest += Math.max(0, cut - multiplier)
    }
  }
}
