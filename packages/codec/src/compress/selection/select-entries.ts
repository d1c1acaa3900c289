import { chooseGreedily, type TermLimit } from './choose-greedily.ts'
import { type CandidateSet, dropUnusedBoundaries, restrictSet } from '../candidates/candidate-set.ts'
import { LARGE_FROM } from '../schemes.ts'
import {
  EMPTY_SELECTION,
  markCandidates,
  pruneEntries,
  type Selection,
  coverText,
  createCoverWorkspace,
} from './prune-entries.ts'

export interface BoundedSelection extends Selection {
  readonly bound: number
}

/**
 * Selects the entries that save most. This is uncapacitated facility location over weighted
 * intervals: an entry pays for its header once, and occurrences compete for the text. The
 * constraint that an occurrence needs its entry is relaxed with a multiplier for each occurrence;
 * the multipliers of a candidate sum to at most its cost. For fixed multipliers the best cover is
 * found exactly, and its value is an upper bound for any selection. Subgradient steps lower the
 * bound, and covers found on the way are pruned into selections. Method: M. L. Fisher, "The
 * Lagrangian Relaxation Method for Solving Integer Programming Problems" (1981), with B. T.
 * Polyak's step length. If terms are scarce, every entry also pays the price of a term, and the
 * bound is raised by price × number of terms. A selection within the limit pays no more than that,
 * so the bound still holds. In the end, as many of the best entries are kept as there are terms,
 * and the text is covered again without the price.
 * @param steps Subgradient steps.
 * @param banned 1 for occurrences that must stay unused. The bound is for selections without them.
 */
export function selectEntries(
  set: CandidateSet,
  steps: number,
  limit: TermLimit = { count: Infinity, price: 0 },
  banned?: Uint8Array,
): BoundedSelection {
  if (banned !== undefined) {
    const part = restrictSet(set, new Uint8Array(set.count).fill(1), banned)
    const found = selectEntries(part, steps, limit)
    return { ...found, occurrences: found.occurrences.map((at) => part.originalOccurrence[at]!) }
  }
  const { count, price } = limit
  const priced = price === 0 ? set : addPrice(set, price)
  const reduced = dropUnusedBoundaries(priced)
  const greedy = pruneEntries(reduced, markCandidates(set, chooseGreedily(reduced)))
  const isLarge = set.units >= LARGE_FROM
  const most = Math.max(MIN_STEPS, Math.floor(MAX_VISITS / Math.max(1, set.occurrenceCount)))
  const found = runSubgradient(reduced, priced, greedy, Math.min(steps, most), isLarge)
  const bound = found.bound + (price === 0 ? 0 : price * count)
  const isWithinLimit = price === 0 && found.best.gross.size <= count
  const best = isWithinLimit ? found.best : keepBest(set, found.best, count)
  if (best.value <= 0) return { ...EMPTY_SELECTION, bound: Math.max(0, bound) }
  return { ...best, bound: Math.max(best.value, bound) }
}

/** Adds the price of a term to the costs. Savings that pay it count towards the floor. */
function addPrice(set: CandidateSet, price: number): CandidateSet {
  return {
    ...set,
    cost: set.cost.map((cost) => cost + price),
    floor: set.floor.map((floor) => Math.max(1, floor - price)),
  }
}

function keepBest(set: CandidateSet, { gross }: Selection, count: number): Selection {
  const netOf = (candidate: number): number => gross.get(candidate)! - set.cost[candidate]!
  const candidates = [...gross.keys()].sort((a, b) => netOf(b) - netOf(a)).slice(0, count)
  return pruneEntries(set, markCandidates(set, candidates))
}

/** Most visits of occurrences, about half a minute. Only very repetitive texts reach it. */
const MAX_VISITS = 5e8
const MIN_STEPS = 16

const PRUNE_EVERY = 30
/** Steps without a lower bound after which `scale` shrinks. */
const PATIENCE = 2
const SHRINK = 0.55
/** In a large text, where the bound always falls a little, `scale` falls at a constant rate. */
const FIRST_SCALE = 2
const LAST_SCALE = 0.02
/** Least share of its cost that a candidate of a cover must save to be kept for pruning. */
const MIN_COST_COVERED = 0.5
/** Rounds of cutting multipliers down; the remaining excess is removed by scaling. */
const MAX_ROUNDS = 3

/**
 * Takes `steps` subgradient steps from a selection, pruning a cover into a selection every
 * {@link PRUNE_EVERY} steps. Returns the best selection and the lowest value of a cover, which is
 * an upper bound for any selection from the set. Step length after B. T. Polyak, "Minimization of
 * Unsmooth Functionals" (1969): `scale` × (value of the cover − best value) ÷ squared norm of the
 * subgradient.
 * @param whole `set` with all its boundaries.
 * @param isLarge Whether `scale` falls at each step, instead of when the bound stalls.
 */
function runSubgradient(
  set: CandidateSet,
  whole: CandidateSet,
  selection: Selection,
  steps: number,
  isLarge: boolean,
): { readonly best: Selection; readonly bound: number } {
  const multipliers = initMultipliers(whole, selection)
  const cover = createCoverWorkspace(set.units)
  const weights = new Float32Array(set.occurrenceCount)
  const usage: CoverUsage = {
    counts: new Int32Array(set.count),
    gross: new Float64Array(set.count),
    candidates: [],
  }
  const fall = isLarge ? (LAST_SCALE / FIRST_SCALE) ** (1 / steps) : 1
  let scale = isLarge ? FIRST_SCALE : 1
  let stalled = 0
  let best = selection
  let bound = Infinity
  for (let rank = 0; rank < set.occurrenceCount; rank++)
    weights[set.occurrencesByCandidate[rank]!] = multipliers.saved[rank]! - multipliers.values[rank]!
  for (let step = 1; step <= steps; step++) {
    const value = coverText(set, weights, cover)
    stalled = value < bound * 0.9999 ? 0 : stalled + 1
    bound = Math.min(bound, value)
    scale *= fall
    if (stalled >= PATIENCE && !isLarge) {
      scale *= SHRINK
      stalled = 0
    }
    const used = cover.used.subarray(0, cover.usedCount)
    countUsage(set, used, usage)
    if (step % PRUNE_EVERY === 0 || step === steps) best = improveBest(set, usage, best)
    const gap = scale * (value - best.value)
    if (step === steps || !stepMultipliers(set, multipliers, weights, used, usage, gap)) break
  }
  return { best, bound }
}

function improveBest(set: CandidateSet, usage: CoverUsage, best: Selection): Selection {
  const wanted = usage.candidates.filter(
    (candidate) => usage.gross[candidate]! >= set.cost[candidate]! * MIN_COST_COVERED,
  )
  return [wanted, [...wanted, ...best.gross.keys()]].reduce((most, candidates) => {
    const selection = pruneEntries(set, markCandidates(set, candidates))
    return selection.value > most.value ? selection : most
  }, best)
}

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
 * Takes one step on the multipliers of each used candidate, keeping their sum, and sets the weights
 * of its occurrences. Returns false if there is nothing to change.
 * @param gap (Value of the cover − best value) × `scale`.
 */
function stepMultipliers(
  { cost, firstByCandidate, occurrencesByCandidate }: CandidateSet,
  { values, saved, rankOf }: Multipliers,
  weights: Float32Array,
  used: Int32Array,
  usage: CoverUsage,
  gap: number,
): boolean {
  let norm = 0
  for (const candidate of usage.candidates) {
    const count = usage.counts[candidate]!
    norm += count * (1 - count / (firstByCandidate[candidate + 1]! - firstByCandidate[candidate]!))
  }
  if (norm < 1e-9 || gap <= 0) return false
  const step = gap / norm
  for (const occurrence of used) values[rankOf[occurrence]!]! += step
  for (const candidate of usage.candidates) {
    const from = firstByCandidate[candidate]!
    const to = firstByCandidate[candidate + 1]!
    cutMultipliers(values, from, to, usage.counts[candidate]! * step)
    let sum = 0
    for (let rank = from; rank < to; rank++) sum += values[rank]!
    const scale = sum > cost[candidate]! ? cost[candidate]! / sum : 1
    for (let rank = from; rank < to; rank++) {
      values[rank] = values[rank]! * scale
      weights[occurrencesByCandidate[rank]!] = saved[rank]! - values[rank]!
    }
  }
  return true
}

/** Lowers the positive multipliers of a range by equal shares of `excess`, none below 0. */
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

/**
 * A multiplier for each occurrence: the share of its entry's cost that it carries. Those of a
 * candidate sum to at most its cost. They are in the order of `occurrencesByCandidate`, so that a
 * step on a candidate reads them in sequence; an occurrence's index there is its rank.
 */
interface Multipliers {
  readonly values: Float32Array
  /** Tokens that the occurrence of each rank saves. */
  readonly saved: Int16Array
  readonly rankOf: Int32Array
}

/** In proportion to what an occurrence saves beyond what it would displace from `selection`. */
function initMultipliers(set: CandidateSet, selection: Selection): Multipliers {
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
  return { values, saved, rankOf }
}

/** The net savings of the units before each boundary in a selection, and its occurrences. */
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
