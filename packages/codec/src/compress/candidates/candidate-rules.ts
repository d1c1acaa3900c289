import { CharKind } from '../text/char-kind.ts'
import type { Units } from '../text/lex-units.ts'
import type { EdgeCosts } from '../cost/edge-costs.ts'
import type { HeaderCosts } from '../cost/header-cost.ts'

/** What a scheme asks of a phrase. */
export interface PhraseRule {
  /** Net tokens that an entry of units `begin` up to `end` must bring, {@link REFUSED} if the scheme does not take it. */
  demand(begin: number, end: number): number
}

export const REFUSED: number = Infinity

/** Takes every phrase that saves anything. */
export const EVERY_PHRASE: PhraseRule = { demand: () => 1 }

/** Where terms can stand. */
export interface UseRule {
  /** May a term stand for units `begin` up to `end`, as far as their neighbours go. */
  allows(begin: number, end: number): boolean
}

/** No term beside a code point that decoders may class differently, or before a mark; acronyms not beside words. */
export class NeighbourRule implements UseRule {
  /** Where uses may begin and where they may end, by unit boundary. */
  private readonly borders: Uint8Array

  constructor({ text, starts, kinds, count }: Units, readable: boolean) {
    const borders = new Uint8Array(count + 1)
    const notBefore = CharKind.notBeforeTerm | (readable ? CharKind.word : 0)
    const notAfter = CharKind.notAfterTerm | (readable ? CharKind.word : 0)
    for (let boundary = 0; boundary <= count; boundary++) {
      const before = boundary > 0 ? kinds[boundary - 1]! : 0
      const after = boundary < count ? kinds[boundary]! : 0
      const at = starts[boundary]!
      if ((before & notBefore) === 0 && !(readable && cutsNumberBefore(text, at))) borders[boundary]! |= BEGIN
      if ((after & notAfter) === 0 && !(readable && cutsNumberBehind(text, at))) borders[boundary]! |= END
    }
    this.borders = borders
  }

  allows(begin: number, end: number): boolean {
    return (this.borders[begin]! & BEGIN) !== 0 && (this.borders[end]! & END) !== 0
  }
}

const BEGIN = 1
const END = 2

/** Does a use cut inside a number, a version or a section reference (R4). */
export function cutsNumber({ text, starts }: Units, begin: number, end: number): boolean {
  return cutsNumberAt(text, starts[begin]!, starts[end]!)
}

/** Does a digit at an edge of UTF-16 offsets `from` up to `to` go on outside, over `.`, `,`, `:`, `-` or `/`. */
export function cutsNumberAt(text: string, from: number, to: number): boolean {
  return cutsNumberBefore(text, from) || cutsNumberBehind(text, to)
}

/** Does a number that begins at `from` go on before it. */
export function cutsNumberBefore(text: string, from: number): boolean {
  return (
    isDigit(text.charCodeAt(from)) && isJoint(text.charCodeAt(from - 1)) && isDigit(text.charCodeAt(from - 2))
  )
}

/** Does a number that ends at `to` go on behind it. */
export function cutsNumberBehind(text: string, to: number): boolean {
  return isDigit(text.charCodeAt(to - 1)) && isJoint(text.charCodeAt(to)) && isDigit(text.charCodeAt(to + 1))
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

function isJoint(code: number): boolean {
  return code === 46 || code === 44 || code === 58 || code === 45 || code === 47
}

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
