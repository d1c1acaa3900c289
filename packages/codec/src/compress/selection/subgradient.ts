import { type ActiveOccurrences, collectActive, freeActive, weighOccurrences } from './active-occurrences.ts'
import { coverText, createCoverWorkspace, freeCoverWorkspace, weighCover } from './cover-text.ts'
import { freeArrays } from '../text/typed-arrays.ts'
import type { CandidateSet } from '../candidates/candidate-set.ts'
import type { Multipliers } from './init-multipliers.ts'
import { markCandidates, pruneEntries, type Selection } from './prune-entries.ts'
import { countUsage, type CoverUsage, stepMultipliers } from './step-multipliers.ts'

/** State of the subgradient method. */
export interface SubgradientState {
  best: Selection
  /** Lowest value of a cover from all occurrences so far, an upper bound of every selection from the set. */
  bound: number
  /** Fraction of the full step length; falls when the covers stall. */
  scale: number
}

const PRUNE_EVERY = 30
/** Steps without a cover of lower value after which `scale` shrinks. */
const PATIENCE = 2
const SHRINK = 0.55
/** A candidate of a cover is kept for pruning if its occurrences save this part of its cost. */
const MIN_COST_COVERED = 0.5
/** From this number of occurrences on, covers are sought among the active ones. Ordinary documents have fewer. */
const ACTIVE_FROM = 1 << 18
/** Steps between two sweeps over all occurrences. */
const ACTIVE_FOR = 12
/** An occurrence is active if what it lacks to be in a best cover is at most so many step lengths, between limits in tokens. */
const MARGIN_STEPS = 5
const MIN_MARGIN = 0.25
const MAX_MARGIN = 1.5
/** With active occurrences, `scale` shrinks at every stall in so many last steps: the last covers have to be near the best. */
const LAST_STEPS = 12

/**
 * Takes `steps` subgradient steps on `multipliers`, and prunes a cover into a selection every {@link PRUNE_EVERY}
 * steps.
 *
 * A step has the length of B. T. Polyak, "Minimization of Unsmooth Functionals" (1969): `scale` × (value of the
 * cover − best value) ÷ squared norm of the subgradient.
 *
 * Most occurrences of a large text are never near a best cover. So covers are sought among the active ones, which
 * every {@link ACTIVE_FOR} steps a sweep over all occurrences chooses. Then the bound comes from these sweeps alone: the
 * cover of a part of the occurrences bounds nothing.
 */
export function runSubgradient(
  set: CandidateSet,
  multipliers: Multipliers,
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
  const sweepAll = (): number => {
    weighOccurrences(set, multipliers, weights)
    const value = weighCover(set, weights, cover)
    state.bound = Math.min(state.bound, value)
    return value
  }
  const keepsAll = set.occurrenceCount < ACTIVE_FROM
  state.bound = Infinity
  let active: ActiveOccurrences | undefined
  let age = 0
  let stalled = 0
  let lowest = 0
  let length = Infinity
  for (let step = 1; step <= steps; step++, age++) {
    if (active === undefined || (age >= ACTIVE_FOR && !keepsAll)) {
      lowest = Math.max(lowest, sweepAll())
      if (active) freeActive(active)
      const margin = Math.min(MAX_MARGIN, Math.max(MIN_MARGIN, MARGIN_STEPS * length))
      active = collectActive(set, multipliers, weights, cover.reach, keepsAll ? Infinity : margin)
      age = 0
    }
    const value = coverText(active, active.weights, cover)
    stalled = step === 1 || value < lowest * 0.9999 ? 0 : stalled + 1
    lowest = Math.min(lowest, value)
    if (keepsAll) state.bound = lowest
    if (stalled >= (keepsAll || step <= steps - LAST_STEPS ? PATIENCE : 1)) {
      state.scale *= SHRINK
      stalled = 0
    }
    const used = cover.used.subarray(0, cover.usedCount)
    countUsage(active, multipliers, used, usage)
    if (step % PRUNE_EVERY === 0 || step === steps) improveBest(set, usage, state)
    const gap = state.scale * (value - state.best.value)
    length = stepMultipliers(set, multipliers, active, used, usage, gap)
    if (length > 0) continue
    if (keepsAll || age === 0) break
    age = ACTIVE_FOR
  }
  if (!keepsAll) sweepAll()
  if (active) freeActive(active)
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
