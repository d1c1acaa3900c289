import type { BoundaryCosts } from '../cost/boundary-costs.ts'
import { REJECTED, type DominanceRule, type CandidateRule } from './candidate-rules.ts'
import { freeArrays, IntList } from '../text/typed-arrays.ts'
import type { HeaderCosts } from '../cost/header-costs.ts'
import type { Repeats } from './index-repeats.ts'
import type { Units } from '../text/lex-units.ts'
import type { FoundCandidates } from './candidate-set.ts'
import { LcpIntervalWalk } from './suffix-array.ts'

/** Longest candidate, in UTF-16 units, which is the longest expansion of a header. */
const MAX_CANDIDATE_LENGTH = 4096

/** Costs and rules for candidates. */
export interface CandidateCosts {
  readonly units: Units
  readonly boundaries: BoundaryCosts
  readonly headerCosts: HeaderCosts
  readonly rule: CandidateRule
  /** Leaves out dominated candidates; all are kept if absent. */
  readonly dominance?: DominanceRule | undefined
}

/**
 * Finds the repeated phrases that the rule accepts and that would pay if nothing else were replaced.
 *
 * If the text repeats itself so much that these are too many, {@link indexRepeats} restricts the lengths that are
 * tried.
 */
export function findCandidates(
  { suffixes, lcp, nextSize, checksSuffix }: Repeats,
  { units, boundaries, headerCosts, rule, dominance }: CandidateCosts,
): FoundCandidates {
  const { begins, ends } = boundaries
  const found = {
    length: new IntList(),
    cost: new IntList(),
    floor: new IntList(),
    maxNet: new IntList(),
    from: new IntList(),
    to: new IntList(),
  }
  const walk = new LcpIntervalWalk(lcp)
  while (walk.next()) {
    const { first, last, shorter, longest } = walk
    const begin = suffixes[first]!
    let next = nextSize(longest + 1, longest)
    while (next > shorter) {
      const size = next
      next = nextSize(size, longest)
      if (units.starts[begin + size]! - units.starts[begin]! > MAX_CANDIDATE_LENGTH) continue
      const floor = rule.floorOf(begin, begin + size)
      if (floor === REJECTED) continue
      const inPlace = ends[begin + size]! - begins[begin]!
      let gross = 0
      for (let rank = first; rank <= last; rank++) {
        const saved = ends[suffixes[rank]! + size]! - begins[suffixes[rank]!]!
        if (saved > 0) gross += saved
      }
      // An entry takes at least 2 tokens, and about as many as one occurrence saves: this spares an exact count.
      if (gross <= Math.max(2, inPlace - 1)) continue
      if (gross < floor) continue
      const header = headerCosts.count(begin, begin + size)
      const maxNet = gross - header
      if (maxNet < floor) continue
      if (dominance !== undefined) {
        // Only a length that is tried can dominate: the next one of this repeat, or the longest of the shorter repeat.
        const prefix = next > shorter ? next : nextSize(shorter + 1, shorter) === shorter ? shorter : 0
        if (dominance.hasDominatingPrefix(suffixes, first, last, size, prefix, header)) continue
        if (checksSuffix(size, longest) && dominance.hasDominatingSuffix(suffixes, first, last, size, header))
          continue
      }
      found.length.push(size)
      found.cost.push(header)
      found.floor.push(floor)
      found.maxNet.push(maxNet)
      found.from.push(first)
      found.to.push(last + 1)
    }
  }
  walk.free()
  const from = found.from.take()
  const cost = found.cost.take()
  const costs = Float64Array.from(cost)
  freeArrays(cost)
  return {
    sample: from.map((first) => suffixes[first]!),
    length: found.length.take(),
    cost: costs,
    floor: found.floor.take(),
    extra: new Int32Array(from.length),
    maxNet: found.maxNet.take(),
    from,
    to: found.to.take(),
    positions: suffixes,
  }
}
