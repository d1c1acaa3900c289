import { chooseGreedily } from './choose-greedily.ts'
import { descendBound, type Descent } from './descend-bound.ts'
import type { PhraseSet } from './phrase-set.ts'
import { packBoundaries, restrictSet } from './restrict-set.ts'
import { EMPTY_SELECTION, markPhrases, settleEntries, type Selection } from './settle-entries.ts'
import { shareBySelection } from './share-costs.ts'

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
 * @param banned Slots that must stay unused, marked 1; the bound is for selections without them.
 */
export function selectPhrases(set: PhraseSet, steps: number, banned?: Uint8Array): BoundedSelection {
  if (banned !== undefined) return selectUnbanned(set, steps, banned)
  const greedy = settleEntries(set, markPhrases(set, chooseGreedily(set)))
  const packed = packBoundaries(set)
  const descent: Descent = { best: greedy, bound: Infinity, scale: 1 }
  descendBound(packed, shareBySelection(set, greedy), descent, limitSteps(set, steps))
  const { best, bound } = descent
  if (best.value <= 0) return { ...EMPTY_SELECTION, bound: Math.max(0, bound) }
  return { ...best, bound: Math.max(best.value, bound) }
}

/** Slots to look at in all steps together: about half a minute. Only texts of many megabytes that repeat themselves come near. */
const MAX_VISITS = 5e8
const LEAST_STEPS = 16

function limitSteps({ slotCount }: PhraseSet, steps: number): number {
  return Math.min(steps, Math.max(LEAST_STEPS, Math.floor(MAX_VISITS / Math.max(1, slotCount))))
}

function selectUnbanned(set: PhraseSet, steps: number, banned: Uint8Array): BoundedSelection {
  const part = restrictSet(set, new Uint8Array(set.count).fill(1), banned)
  const { value, bound, slots, gross } = selectPhrases(part, steps)
  return { value, bound, slots: slots.map((slot) => part.slotOf[slot]!), gross: new Map(gross) }
}
