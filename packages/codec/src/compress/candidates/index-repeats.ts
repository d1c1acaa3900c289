import type { Units } from '../text/lex-units.ts'
import { buildLcpArray, buildSuffixArray, LcpIntervalWalk } from './suffix-array.ts'

/** Longest candidate, in units. */
const MAX_CANDIDATE_UNITS = 512
/** Limit of the occurrences to look at, per unit of text. If all lengths have more, fewer lengths are tried. */
const MAX_OCCURRENCES = 32

/** The repeats of a text: its suffix array, its LCP array, and the lengths to try. */
export interface Repeats {
  readonly suffixes: Int32Array
  readonly lcp: Int32Array
  readonly nextSize: NextSize
  /** Whether a candidate of `size` units without its first unit is tried too, for repeats of up to `longest` units. */
  readonly checksSuffix: (size: number, longest: number) => boolean
}

/** Returns the next shorter length to try after `size`, for repeats of up to `longest` units; 0 at the end. */
export type NextSize = (size: number, longest: number) => number

/**
 * Indexes the repeats of a text.
 *
 * @param ends How many ends of a long repeat to try; fewer if there are too many occurrences.
 */
export function indexRepeats({ ids, alphabet }: Units, ends: 'all' | 'most' | 'few'): Repeats {
  const suffixes = buildSuffixArray(ids, alphabet)
  const lcp = buildLcpArray(ids, suffixes)
  const nextSize = chooseSizes(lcp, CHOICES[ends])
  const checksSuffix = (size: number, longest: number): boolean =>
    nextSize === everySize ||
    (nextSize === thinnedSize && longest - size < SINGLE_STEPS_THINNED) ||
    (nextSize === sparseSize && longest - size < SINGLE_STEPS_SPARSE)
  return { suffixes, lcp, nextSize, checksSuffix }
}

const everySize: NextSize = (size) => Math.min(size - 1, MAX_CANDIDATE_UNITS)
/** Steps of one unit before {@link thinnedSize} takes longer ones; suffixes of these candidates are tried too. */
const SINGLE_STEPS_THINNED = 8
const thinnedSize: NextSize = (size, longest) =>
  Math.min(
    size > longest ? longest : size - (longest - size < SINGLE_STEPS_THINNED ? 1 : (longest - size) >> 2),
    MAX_CANDIDATE_UNITS,
  )
/** The same for {@link sparseSize}. */
const SINGLE_STEPS_SPARSE = 2
const sparseSize: NextSize = (size, longest) =>
  Math.min(size > longest ? longest : size - Math.max(1, longest - size), MAX_CANDIDATE_UNITS)
const listedSize: NextSize = (size) => LISTED_SIZES.find((listed) => listed < size) ?? 0
const LISTED_SIZES = [512, 384, 256, 192, 128, 96, 64, 48, 32, 24, 16, 12, 8, 7, 6, 5, 4, 3, 2, 1]

const CHOICES = { all: [everySize, thinnedSize], most: [thinnedSize], few: [sparseSize] } as const

/** Returns the first of `choices` that keeps the number of occurrences within the limit. */
function chooseSizes(lcp: Int32Array, choices: readonly NextSize[]): NextSize {
  for (const nextSize of choices) {
    let occurrences = 0
    const walk = new LcpIntervalWalk(lcp)
    while (walk.next()) {
      const { first, last, shorter, longest } = walk
      for (let size = nextSize(longest + 1, longest); size > shorter; size = nextSize(size, longest)) {
        occurrences += last - first + 1
      }
    }
    walk.free()
    if (occurrences <= MAX_OCCURRENCES * lcp.length) return nextSize
  }
  return listedSize
}
