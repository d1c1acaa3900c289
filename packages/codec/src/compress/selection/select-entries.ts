import { chooseGreedily } from './choose-greedily.ts'
import { runSubgradient } from './subgradient.ts'
import { freeArrays } from '../text/typed-arrays.ts'
import type { TermLimit } from './price-terms.ts'
import { type CandidateSet, dropUnusedBoundaries, restrictSet } from '../candidates/candidate-set.ts'
import { LARGE_FROM } from '../schemes.ts'
import { EMPTY_SELECTION, markCandidates, pruneEntries, type Selection } from './prune-entries.ts'

/** A selection with an upper bound on the value of any selection of these candidates. */
export interface BoundedSelection extends Selection {
  readonly bound: number
}

/**
 * Selects the entries that save most. This is uncapacitated facility location over weighted
 * intervals: an entry pays for its header once, and occurrences compete for the text.
 *
 * The constraint that an occurrence needs its entry is relaxed with a multiplier for each
 * occurrence; the multipliers of a candidate sum to at most its cost. For fixed multipliers the
 * best cover is found exactly, and its value is an upper bound for any selection. Subgradient steps
 * lower the bound, and covers found on the way are pruned into selections. Method: M. L. Fisher,
 * "The Lagrangian Relaxation Method for Solving Integer Programming Problems" (1981), with B. T.
 * Polyak's step length.
 *
 * If terms are scarce, every entry also pays the price of a term, and the bound is raised by price
 * × number of terms. A selection within the limit pays no more than that, so the bound still holds.
 * In the end, as many of the best entries are kept as there are terms, and the text is covered
 * again without the price.
 *
 * @param steps Subgradient steps.
 * @param banned 1 for occurrences that must stay unused. The bound is for selections without them.
 */
export function selectEntries(
  set: CandidateSet,
  steps: number,
  limit: TermLimit = { count: Infinity, price: 0 },
  banned?: Uint8Array,
): BoundedSelection {
  if (banned !== undefined) return selectWithoutBanned(set, steps, limit, banned)
  const { count, price } = limit
  const priced = price === 0 ? set : addPrice(set, price)
  const reduced = dropUnusedBoundaries(priced)
  const greedy = pruneEntries(reduced, markCandidates(set, chooseGreedily(reduced)))
  const isLarge = set.units >= LARGE_FROM
  const found = runSubgradient(reduced, priced, greedy, limitSteps(set, steps), isLarge)
  freeArrays(reduced.occurrenceStart, reduced.occurrenceEnd, reduced.firstByEnd, reduced.adjacencyGain)
  const bound = found.bound + (price === 0 ? 0 : price * count)
  const isWithinLimit = price === 0 && found.best.gross.size <= count
  const best = isWithinLimit ? found.best : keepBest(set, found.best, count)
  if (best.value <= 0) return { ...EMPTY_SELECTION, bound: Math.max(0, bound) }
  return { ...best, bound: Math.max(best.value, bound) }
}

/**
 * Adds the price of a term to each candidate's cost. Savings that pay the price count towards the
 * floor.
 */
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

/**
 * Limit on the occurrences visited in all steps together, about half a minute. Only very repetitive
 * texts of many megabytes reach it.
 */
const MAX_VISITS = 5e8
const MIN_STEPS = 16

function limitSteps({ occurrenceCount }: CandidateSet, steps: number): number {
  return Math.min(steps, Math.max(MIN_STEPS, Math.floor(MAX_VISITS / Math.max(1, occurrenceCount))))
}

function selectWithoutBanned(
  set: CandidateSet,
  steps: number,
  limit: TermLimit,
  banned: Uint8Array,
): BoundedSelection {
  const part = restrictSet(set, new Uint8Array(set.count).fill(1), banned)
  const found = selectEntries(part, steps, limit)
  return {
    ...found,
    occurrences: found.occurrences.map((occurrence) => part.originalOccurrence[occurrence]!),
  }
}
