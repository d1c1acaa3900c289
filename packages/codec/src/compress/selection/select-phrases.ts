import { chooseGreedily } from './choose-greedily.ts'
import { descendBound, type Descent, shareBySelection } from './descend-bound.ts'
import { freeArrays } from '../text/typed-arrays.ts'
import type { TermLimit } from './limit-terms.ts'
import { type PhraseSet, packBoundaries, restrictSet } from '../candidates/phrase-set.ts'
import { EMPTY_SELECTION, markPhrases, settleEntries, type Selection } from './settle-entries.ts'

/** A selection, and a number that no selection of these phrases can pass. */
export interface BoundedSelection extends Selection {
  readonly bound: number
}

/**
 * Selects the entries that save most: facility location (a phrase in use costs its header) over weighted intervals.
 *
 * Each phrase's cost is shared among its slots; for fixed shares the best cover of the text is found exactly and its value
 * bounds every selection from above. Subgradient steps move each phrase's shares toward the slots that covers use, and
 * covers on the way are settled into selections. Method: M. L. Fisher, "The Lagrangian Relaxation Method for Solving Integer Programming
 * Problems" (1981), with B. T. Polyak's step length.
 *
 * Where terms are few each entry is charged the price of one as well, which the bound then adds for each there is: whoever
 * uses no more terms than there are pays no more. At last the best entries are settled without that price.
 *
 * @param banned Slots that must stay unused, marked 1; the bound is for selections without them.
 */
export function selectPhrases(
  set: PhraseSet,
  steps: number,
  limit: TermLimit = { count: Infinity, price: 0 },
  banned?: Uint8Array,
): BoundedSelection {
  if (banned !== undefined) return selectUnbanned(set, steps, limit, banned)
  const { count, price } = limit
  const priced = price === 0 ? set : { ...set, cost: set.cost.map((cost) => cost + price) }
  const greedy = settleEntries(priced, markPhrases(set, chooseGreedily(priced)))
  const descent: Descent = { best: greedy, bound: Infinity, scale: 1 }
  const shares = shareBySelection(priced, greedy)
  // The phrases of a large text leave few boundaries out: to pack them would take more memory than time.
  const packed = set.units < LARGE ? packBoundaries(priced) : priced
  descendBound(packed, shares, descent, limitSteps(set, steps))
  freeArrays(shares)
  if (packed !== priced) freeArrays(packed.slotStart, packed.slotEnd, packed.firstByEnd, packed.glue)
  const bound = descent.bound + (price === 0 ? 0 : price * count)
  const isOpen = price === 0 && descent.best.gross.size <= count
  const best = isOpen ? descent.best : takeBest(set, descent.best, count)
  if (best.value <= 0) return { ...EMPTY_SELECTION, bound: Math.max(0, bound) }
  return { ...best, bound: Math.max(best.value, bound) }
}

/** Settles the `count` phrases that save most. */
function takeBest(set: PhraseSet, { gross }: Selection, count: number): Selection {
  const netOf = (phrase: number): number => gross.get(phrase)! - set.cost[phrase]!
  const phrases = [...gross.keys()].sort((a, b) => netOf(b) - netOf(a)).slice(0, count)
  return settleEntries(set, markPhrases(set, phrases))
}

/** Units from which on boundaries are not packed. */
const LARGE = 1 << 17

/** Slots to look at in all steps together: about half a minute. Only texts of many megabytes that repeat themselves come near. */
const MAX_VISITS = 5e8
const LEAST_STEPS = 16

function limitSteps({ slotCount }: PhraseSet, steps: number): number {
  return Math.min(steps, Math.max(LEAST_STEPS, Math.floor(MAX_VISITS / Math.max(1, slotCount))))
}

function selectUnbanned(
  set: PhraseSet,
  steps: number,
  limit: TermLimit,
  banned: Uint8Array,
): BoundedSelection {
  const part = restrictSet(set, new Uint8Array(set.count).fill(1), banned)
  const { value, bound, slots, gross } = selectPhrases(part, steps, limit)
  return { value, bound, slots: slots.map((slot) => part.slotOf[slot]!), gross: new Map(gross) }
}
