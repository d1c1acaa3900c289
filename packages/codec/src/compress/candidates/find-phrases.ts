import type { EdgeCosts } from '../cost/edge-costs.ts'
import type { DominanceRule, PhraseRule } from './candidate-rules.ts'
import { freeArrays, IntList } from '../text/typed-arrays.ts'
import type { HeaderCosts } from '../cost/header-cost.ts'
import type { Repeats } from './index-repeats.ts'
import type { Units } from '../text/lex-units.ts'
import type { FoundPhrases } from './phrase-set.ts'
import { RepeatWalk } from './suffix-array.ts'

/** Longest phrase, in UTF-16 units; a header takes no longer expansion. */
const MAX_PHRASE_LENGTH = 4096

/** What phrases are judged by. */
export interface PhraseCosts {
  readonly units: Units
  readonly edges: EdgeCosts
  readonly headerCosts: HeaderCosts
  readonly rule: PhraseRule
  /** Leaves out what no selection needs; all is kept when absent. */
  readonly dominance?: DominanceRule | undefined
}

/** Which phrases to find. */
export interface PhraseFilter {
  /** Only such as would save more net tokens than this. */
  readonly price?: number
  /** Of phrases that begin at the same places only the one that would save most. */
  readonly onePerRepeat?: boolean
}

/**
 * Finds the repeated phrases that the rule takes and that would pay if nothing else were replaced.
 *
 * All of them, unless the text repeats itself so much that they would be too many: then of those that begin at the same
 * places fewer the more is cut off their end, and at last only sizes from a short list.
 */
export function findPhrases(
  { places, lcp, nextSize, looksAtTail }: Repeats,
  { units, edges, headerCosts, rule, dominance }: PhraseCosts,
  { price = -Infinity, onePerRepeat = false }: PhraseFilter = {},
): FoundPhrases {
  const { begins, ends } = edges
  const found = {
    length: new IntList(),
    cost: new IntList(),
    floor: new IntList(),
    best: new IntList(),
    from: new IntList(),
    to: new IntList(),
  }
  const lists = Object.values(found)
  const walk = new RepeatWalk(lcp)
  while (walk.next()) {
    const { first, last, shorter, longest } = walk
    const begin = places[first]!
    let least = price
    let next = nextSize(longest + 1, longest)
    while (next > shorter) {
      const size = next
      next = nextSize(size, longest)
      if (units.starts[begin + size]! - units.starts[begin]! > MAX_PHRASE_LENGTH) continue
      const inPlace = ends[begin + size]! - begins[begin]!
      let gross = 0
      for (let rank = first; rank <= last; rank++) {
        const saved = ends[places[rank]! + size]! - begins[places[rank]!]!
        if (saved > 0) gross += saved
      }
      if (gross <= Math.max(2, inPlace - 1, least)) continue
      const floor = rule.demand(begin, begin + size)
      if (gross < floor) continue
      const header = headerCosts.count(begin, begin + size)
      const best = gross - header
      if (best < floor || best <= least) continue
      if (dominance !== undefined) {
        const prefix = next > shorter ? next : nextSize(shorter + 1, shorter) === shorter ? shorter : 0
        if (dominance.hasBetterPrefix(places, first, last, size, prefix, header)) continue
        if (looksAtTail(size, longest) && dominance.hasBetterTail(places, first, last, size, header)) continue
      }
      if (onePerRepeat && least > price) for (const list of lists) list.pop()
      if (onePerRepeat) least = best
      found.length.push(size)
      found.cost.push(header)
      found.floor.push(floor)
      found.best.push(best)
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
    sample: from.map((first) => places[first]!),
    length: found.length.take(),
    cost: costs,
    floor: found.floor.take(),
    extra: new Int32Array(from.length),
    best: found.best.take(),
    from,
    to: found.to.take(),
    places,
  }
}
