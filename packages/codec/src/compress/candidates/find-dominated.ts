import { CharKind } from '../text/char-kind.ts'
import type { EdgeCosts } from '../cost/edge-costs.ts'
import type { HeaderCosts } from '../cost/header-cost.ts'
import type { Units } from '../text/lex-units.ts'
import type { UseRule } from './use-rule.ts'

/**
 * Tells phrases that no selection needs: a part of such a phrase saves as much at each of its places, also where another use
 * goes before or follows at once, and costs no more in the header. Holds where uses may touch.
 *
 * The phrase of `size` units stands at `places[first]` up to `places[last]` and costs `header`.
 */
export class DominanceRule {
  private readonly kinds: Uint8Array
  private readonly edges: EdgeCosts
  private readonly headerCosts: HeaderCosts
  private readonly uses: UseRule

  constructor({ kinds }: Units, edges: EdgeCosts, headerCosts: HeaderCosts, uses: UseRule) {
    this.kinds = kinds
    this.edges = edges
    this.headerCosts = headerCosts
    this.uses = uses
  }

  /** Is its first `prefix` units such a part. */
  hasBetterPrefix(
    places: Int32Array,
    first: number,
    last: number,
    size: number,
    prefix: number,
    header: number,
  ): boolean {
    const { ends, glue } = this.edges
    if (prefix === 0) return false
    for (let rank = first; rank <= last; rank++) {
      const begin = places[rank]!
      const end = begin + size
      if (ends[begin + prefix]! < ends[end]! + Math.max(0, glue[end]!)) return false
      if (!this.uses.allows(begin, begin + prefix)) return false
    }
    return this.headerCosts.count(places[first]!, places[first]! + prefix) <= header
  }

  /** Is what is behind its first unit such a part. */
  hasBetterTail(places: Int32Array, first: number, last: number, size: number, header: number): boolean {
    const { begins, glue } = this.edges
    // Behind a space that stays only some symbols cost nothing more, so a space in front is no burden.
    if (size === 1 || this.kinds[places[first]!] === CharKind.space) return false
    for (let rank = first; rank <= last; rank++) {
      const begin = places[rank]!
      if (begins[begin + 1]! + Math.max(0, glue[begin]!) > begins[begin]!) return false
      if (!this.uses.allows(begin + 1, begin + size)) return false
    }
    return this.headerCosts.count(places[first]! + 1, places[first]! + size) <= header
  }
}
