import type { EdgeCosts } from './edge-costs.ts'
import type { DominanceRule } from './find-dominated.ts'
import type { HeaderCosts } from './header-cost.ts'
import type { Units } from './lex-units.ts'
import { PhraseList } from './phrase-list.ts'
import type { PhraseRule } from './phrase-rule.ts'
import type { PhraseSource } from './phrase-set.ts'
import { buildLcpArray, buildSuffixArray } from './suffix-array.ts'
import { RepeatWalk } from './walk-repeats.ts'

/** Longest phrase, in units and in UTF-16 units; a header takes no longer expansion. */
const MAX_PHRASE_UNITS = 512
const MAX_PHRASE_LENGTH = 4096
/** Most appearances of phrases to look at, per unit of text; shorter lists of sizes are taken until they fit. */
const MAX_APPEARANCES = 32

/** Phrases found, with what they would save. */
export interface FoundPhrases extends PhraseSource {
  /** Net tokens that each phrase would save if all its places could be used. */
  readonly best: Int32Array
  /** All phrases that would save more than this are there. */
  readonly cut: number
}

export interface FindOptions {
  /** Begin with the second choice: ends of long repeats are thinned out. */
  readonly thrifty: boolean
  /** Leaves out what no selection needs; all is kept when absent. */
  readonly dominance?: DominanceRule | undefined
  /** Phrases to keep; of more than these only such as save most. */
  readonly most?: number
}

/**
 * Finds the repeated phrases that `rule` takes and that would pay if nothing else were replaced.
 *
 * All of them, unless the text repeats itself so much that they would be too many: then of those that begin at the same
 * places fewer the more is cut off their end, and at last only sizes from a short list.
 */
export function findPhrases(
  units: Units,
  edges: EdgeCosts,
  headerCosts: HeaderCosts,
  rule: PhraseRule,
  { thrifty, dominance, most = Infinity }: FindOptions,
): FoundPhrases {
  const places = buildSuffixArray(units.ids, units.alphabet)
  const { begins, ends } = edges
  const found = new PhraseList(most)
  const lcp = buildLcpArray(units.ids, places)
  const nextSize = chooseSizes(lcp, thrifty)
  for (const walk = new RepeatWalk(lcp); walk.next();) {
    const { first, last, shorter, longest } = walk
    const begin = places[first]!
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
      if (gross <= Math.max(2, inPlace - 1)) continue
      const floor = rule.demand(begin, begin + size)
      if (gross < floor) continue
      const header = headerCosts.count(begin, begin + size)
      if (gross < header + floor) continue
      if (dominance !== undefined) {
        const prefix = next > shorter ? next : nextSize(shorter + 1, shorter) === shorter ? shorter : 0
        if (dominance.hasBetterPrefix(places, first, last, size, prefix, header)) continue
        const hasTail = nextSize === everySize || (nextSize === thinnedSize && longest - size < UNTHINNED)
        if (hasTail && dominance.hasBetterTail(places, first, last, size, header)) continue
      }
      found.push({ from: first, to: last + 1, length: size, cost: header, floor, best: gross - header })
    }
  }
  const from = found.values('from')
  return {
    sample: from.map((first) => places[first]!),
    length: found.values('length'),
    cost: Float64Array.from(found.values('cost')),
    floor: found.values('floor'),
    extra: new Int32Array(from.length),
    best: found.values('best'),
    from,
    to: found.values('to'),
    places,
    cut: found.cut,
  }
}

/** The size to look at after `size`, of repeats of up to `longest` units; 0 at the end. */
type NextSize = (size: number, longest: number) => number

const everySize: NextSize = (size) => Math.min(size - 1, MAX_PHRASE_UNITS)
/** So many ends of a repeat are all looked at, also of what is left of it without its first unit. */
const UNTHINNED = 8
const thinnedSize: NextSize = (size, longest) =>
  Math.min(
    size > longest ? longest : size - (longest - size < UNTHINNED ? 1 : (longest - size) >> 2),
    MAX_PHRASE_UNITS,
  )
const listedSize: NextSize = (size) => LISTED_SIZES.find((listed) => listed < size) ?? 0
const LISTED_SIZES = [512, 384, 256, 192, 128, 96, 64, 48, 32, 24, 16, 12, 8, 7, 6, 5, 4, 3, 2, 1]

/** The first choice of sizes that keeps the appearances in bounds. */
function chooseSizes(lcp: Int32Array, thrifty: boolean): NextSize {
  for (const nextSize of thrifty ? [thinnedSize] : [everySize, thinnedSize]) {
    let appearances = 0
    for (const walk = new RepeatWalk(lcp); walk.next();) {
      const { first, last, shorter, longest } = walk
      for (let size = nextSize(longest + 1, longest); size > shorter; size = nextSize(size, longest)) {
        appearances += last - first + 1
      }
    }
    if (appearances <= MAX_APPEARANCES * lcp.length) return nextSize
  }
  return listedSize
}
