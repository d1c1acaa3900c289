import { coverText, createCoverWorkspace, freeCoverWorkspace } from './cover-text.ts'
import { freeArrays } from '../text/typed-arrays.ts'
import type { CandidateSet } from '../candidates/candidate-set.ts'
import { markCandidates, pruneEntries, type Selection } from './prune-entries.ts'

/** State of the subgradient method. */
export interface SubgradientState {
  best: Selection
  /** Lowest value of a cover so far, an upper bound of every selection from the set. */
  bound: number
  /** Fraction of the full step length; falls when the bound stalls. */
  scale: number
}

const PRUNE_EVERY = 30
/** Steps without a lower bound after which `scale` shrinks. */
const PATIENCE = 2
const SHRINK = 0.55
/** A candidate of a cover is kept for pruning if its occurrences save this part of its cost. */
const MIN_COST_COVERED = 0.5
/** Rounds of cutting multipliers down; the remaining excess is removed by scaling. */
const MAX_ROUNDS = 3

/**
 * Takes `steps` subgradient steps on `multipliers`, and prunes a cover into a selection every {@link PRUNE_EVERY}
 * steps.
 *
 * A step has the length of B. T. Polyak, "Minimization of Unsmooth Functionals" (1969): `scale` × (value of the
 * cover − best value) ÷ squared norm of the subgradient.
 */
export function runSubgradient(
  set: CandidateSet,
  multipliers: Float32Array,
  state: SubgradientState,
  steps: number,
): void {
  const cover = createCoverWorkspace(set.units)
  const weights = new Float32Array(set.occurrenceCount)
  const usage: CoverUsage = {
    counts: new Int32Array(set.count),
    gross: new Float64Array(set.count),
    candidates: [],
  }
  let stalled = 0
  state.bound = Infinity
  for (let occurrence = 0; occurrence < set.occurrenceCount; occurrence++)
    weights[occurrence] = set.occurrenceSaved[occurrence]! - multipliers[occurrence]!
  for (let step = 1; step <= steps; step++) {
    const value = coverText(set, weights, cover)
    stalled = value < state.bound * 0.9999 ? 0 : stalled + 1
    state.bound = Math.min(state.bound, value)
    if (stalled >= PATIENCE) {
      state.scale *= SHRINK
      stalled = 0
    }
    const used = cover.used.subarray(0, cover.usedCount)
    countUsage(set, used, usage)
    if (step % PRUNE_EVERY === 0 || step === steps) improveBest(set, usage, state)
    if (!stepMultipliers(set, multipliers, weights, used, usage, state.scale * (value - state.best.value)))
      break
  }
  freeCoverWorkspace(cover)
  freeArrays(weights, usage.counts, usage.gross)
}

function improveBest(set: CandidateSet, usage: CoverUsage, state: SubgradientState): void {
  const wanted = usage.candidates.filter(
    (candidate) => usage.gross[candidate]! >= set.cost[candidate]! * MIN_COST_COVERED,
  )
  for (const candidates of [wanted, [...wanted, ...state.best.gross.keys()]]) {
    const selection = pruneEntries(set, markCandidates(set, candidates))
    if (selection.value > state.best.value) state.best = selection
  }
}

/** Candidates that a cover uses, how often, and what their occurrences save. */
interface CoverUsage {
  readonly counts: Int32Array
  readonly gross: Float64Array
  candidates: number[]
}

function countUsage(set: CandidateSet, used: Int32Array, usage: CoverUsage): void {
  for (const candidate of usage.candidates) {
    usage.counts[candidate] = 0
    usage.gross[candidate] = 0
  }
  usage.candidates = []
  for (const occurrence of used) {
    const candidate = set.occurrenceCandidate[occurrence]!
    if (usage.counts[candidate]!++ === 0) usage.candidates.push(candidate)
    usage.gross[candidate]! += set.occurrenceSaved[occurrence]!
  }
}

/**
 * Takes one step on the multipliers of each used candidate, whose sum stays the same; returns false if there is
 * nothing to move.
 */
function stepMultipliers(
  set: CandidateSet,
  multipliers: Float32Array,
  weights: Float32Array,
  used: Int32Array,
  usage: CoverUsage,
  gap: number,
): boolean {
  const { firstByCandidate, occurrencesByCandidate } = set
  let norm = 0
  for (const candidate of usage.candidates) {
    const count = usage.counts[candidate]!
    norm += count * (1 - count / (firstByCandidate[candidate + 1]! - firstByCandidate[candidate]!))
  }
  if (norm < 1e-9 || gap <= 0) return false
  const step = gap / norm
  for (const occurrence of used) multipliers[occurrence]! += step
  for (const candidate of usage.candidates) {
    const from = firstByCandidate[candidate]!
    const to = firstByCandidate[candidate + 1]!
    let excess = usage.counts[candidate]! * step
    for (let round = 0; excess > 1e-6 && round < MAX_ROUNDS; round++) {
      let positive = 0
      for (let at = from; at < to; at++) if (multipliers[occurrencesByCandidate[at]!]! > 0) positive++
      const cut = excess / positive
      excess = 0
      for (let at = from; at < to; at++) {
        const occurrence = occurrencesByCandidate[at]!
        const multiplier = multipliers[occurrence]!
        if (multiplier <= 0) continue
        multipliers[occurrence] = Math.max(0, multiplier - cut)
        excess += Math.max(0, cut - multiplier)
      }
    }
    let sum = 0
    for (let at = from; at < to; at++) sum += multipliers[occurrencesByCandidate[at]!]!
    const scale = sum > set.cost[candidate]! ? set.cost[candidate]! / sum : 1
    for (let at = from; at < to; at++) {
      const occurrence = occurrencesByCandidate[at]!
      multipliers[occurrence] = multipliers[occurrence]! * scale
      weights[occurrence] = set.occurrenceSaved[occurrence]! - multipliers[occurrence]
    }
  }
  return true
}

/**
 * Initial multipliers, in proportion to what an occurrence saves beyond the savings that it would displace from
 * `selection`.
 */
export function initMultipliers(set: CandidateSet, selection: Selection): Float32Array {
  const { occurrenceStart, occurrenceCandidate, occurrenceSaved, cost } = set
  const prices = new Float64Array(set.units + 1)
  const chosen = new Uint8Array(set.occurrenceCount)
  for (const occurrence of selection.occurrences) {
    chosen[occurrence] = 1
    const candidate = occurrenceCandidate[occurrence]!
    const net = occurrenceSaved[occurrence]! * (1 - cost[candidate]! / selection.gross.get(candidate)!)
    prices.fill(net / set.length[candidate]!, occurrenceStart[occurrence], set.occurrenceEnd[occurrence])
  }
  for (let unit = 0, sum = 0; unit <= set.units; unit++) {
    const price = prices[unit]!
    prices[unit] = sum
    sum += price
  }
  const multipliers = new Float32Array(set.occurrenceCount)
  for (let occurrence = 0; occurrence < set.occurrenceCount; occurrence++) {
    const isChosen = selection.gross.has(occurrenceCandidate[occurrence]!)
    const price = prices[set.occurrenceEnd[occurrence]!]! - prices[occurrenceStart[occurrence]!]!
    multipliers[occurrence] = isChosen
      ? chosen[occurrence] === 1
        ? occurrenceSaved[occurrence]!
        : 0
      : Math.max(0, occurrenceSaved[occurrence]! - price)
  }
  freeArrays(prices, chosen)
  for (let candidate = 0; candidate < set.count; candidate++) scaleMultipliers(set, multipliers, candidate)
  return multipliers
}

function scaleMultipliers(
  { cost, firstByCandidate, occurrencesByCandidate }: CandidateSet,
  multipliers: Float32Array,
  candidate: number,
): void {
  const from = firstByCandidate[candidate]!
  const to = firstByCandidate[candidate + 1]!
  let sum = 0
  for (let at = from; at < to; at++) sum += multipliers[occurrencesByCandidate[at]!]!
  for (let at = from; at < to; at++) {
    const occurrence = occurrencesByCandidate[at]!
    multipliers[occurrence] =
      sum > 0 ? (multipliers[occurrence]! * cost[candidate]!) / sum : cost[candidate]! / (to - from)
  }
}
