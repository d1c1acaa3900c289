import { chooseGreedily } from './choose-greedily.ts'
import { runSubgradient, type SubgradientState, initMultipliers } from './subgradient.ts'
import { freeArrays } from '../text/typed-arrays.ts'
import type { TermLimit } from './price-terms.ts'
import { type CandidateSet, dropUnusedBoundaries, restrictSet } from '../candidates/candidate-set.ts'
import { EMPTY_SELECTION, markCandidates, pruneEntries, type Selection } from './prune-entries.ts'

/** A selection, and a number that no selection of these candidates can pass. */
export interface BoundedSelection extends Selection {
  readonly bound: number
}

/**
 * Selects the entries that save most: facility location (a candidate in use costs its header) over weighted intervals.
 *
 * Each candidate's cost is shared among its occurrences; for fixed shares the best cover of the text is found exactly and its value
 * bounds every selection from above. Subgradient steps move each candidate's shares toward the occurrences that covers use, and
 * covers on the way are settled into selections. Method: M. L. Fisher, "The Lagrangian Relaxation Method for Solving Integer Programming
 * Problems" (1981), with B. T. Polyak's step length.
 *
 * Where terms are few each entry is charged the price of one as well, which the bound then adds for each there is: whoever
 * uses no more terms than there are pays no more. At last the best entries are settled without that price.
 *
 * @param banned Occurrences that must stay unused, marked 1; the bound is for selections without them.
 */
export function selectEntries(
  set: CandidateSet,
  steps: number,
  limit: TermLimit = { count: Infinity, price: 0 },
  banned?: Uint8Array,
): BoundedSelection {
  if (banned !== undefined) return selectAllowed(set, steps, limit, banned)
  const { count, price } = limit
  const priced = price === 0 ? set : { ...set, cost: set.cost.map((cost) => cost + price) }
  const greedy = pruneEntries(priced, markCandidates(set, chooseGreedily(priced)))
  const state: SubgradientState = { best: greedy, bound: Infinity, scale: 1 }
  const multipliers = initMultipliers(priced, greedy)
  // The candidates of a large text leave few boundaries out: to pack them would take more memory than time.
  const reduced = set.units < LARGE ? dropUnusedBoundaries(priced) : priced
  runSubgradient(reduced, multipliers, state, limitSteps(set, steps))
  freeArrays(multipliers)
  if (reduced !== priced)
    freeArrays(reduced.occurrenceStart, reduced.occurrenceEnd, reduced.firstByEnd, reduced.adjacencyGain)
  const bound = state.bound + (price === 0 ? 0 : price * count)
  const isOpen = price === 0 && state.best.gross.size <= count
  const best = isOpen ? state.best : keepBest(set, state.best, count)
  if (best.value <= 0) return { ...EMPTY_SELECTION, bound: Math.max(0, bound) }
  return { ...best, bound: Math.max(best.value, bound) }
}

/** Settles the `count` candidates that save most. */
function keepBest(set: CandidateSet, { gross }: Selection, count: number): Selection {
  const netOf = (candidate: number): number => gross.get(candidate)! - set.cost[candidate]!
  const candidates = [...gross.keys()].sort((a, b) => netOf(b) - netOf(a)).slice(0, count)
  return pruneEntries(set, markCandidates(set, candidates))
}

/** Units from which on boundaries are not packed. */
const LARGE = 1 << 17

/** Occurrences to look at in all steps together: about half a minute. Only texts of many megabytes that repeat themselves come near. */
const MAX_VISITS = 5e8
const MIN_STEPS = 16

function limitSteps({ occurrenceCount }: CandidateSet, steps: number): number {
  return Math.min(steps, Math.max(MIN_STEPS, Math.floor(MAX_VISITS / Math.max(1, occurrenceCount))))
}

function selectAllowed(
  set: CandidateSet,
  steps: number,
  limit: TermLimit,
  banned: Uint8Array,
): BoundedSelection {
  const part = restrictSet(set, new Uint8Array(set.count).fill(1), banned)
  const { value, bound, occurrences, gross } = selectEntries(part, steps, limit)
  return {
    value,
    bound,
    occurrences: occurrences.map((occurrence) => part.originalOccurrence[occurrence]!),
    gross: new Map(gross),
  }
}
