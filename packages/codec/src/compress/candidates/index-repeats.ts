import type { Units } from '../text/lex-units.ts'
import { buildLcpArray, buildSuffixArray, LcpIntervalWalk } from './suffix-array.ts'

/** Longest candidate, in units. */
const MAX_CANDIDATE_UNITS = 512
/** Most occurrences of candidates to look at, per unit of text; shorter lists of sizes are taken until they fit. */
const MAX_OCCURRENCES = 32

/** The repeats of a text: its suffixes in order, what each has in common with the one before, and the sizes to look at. */
export interface Repeats {
  readonly suffixes: Int32Array
  readonly lcp: Int32Array
  readonly nextSize: NextSize
  /** Is what is left of a candidate without its first unit looked at too, as a candidate of `size` units of repeats of up to `longest`. */
  readonly checksSuffix: (size: number, longest: number) => boolean
}

/** The size to look at after `size`, of repeats of up to `longest` units; 0 at the end. */
export type NextSize = (size: number, longest: number) => number

/**
 * Indexes the repeats of a text.
 *
 * @param ends How many ends of a long repeat to look at; fewer where they are too many.
 */
export function indexRepeats({ ids, alphabet }: Units, ends: 'all' | 'most' | 'few'): Repeats {
  const suffixes = buildSuffixArray(ids, alphabet)
  const lcp = buildLcpArray(ids, suffixes)
  const nextSize = chooseSizes(lcp, CHOICES[ends])
  const checksSuffix = (size: number, longest: number): boolean =>
    nextSize === everySize ||
    (nextSize === thinnedSize && longest - size < UNTHINNED) ||
    (nextSize === sparseSize && longest - size < UNSPARSE)
  return { suffixes, lcp, nextSize, checksSuffix }
}

const everySize: NextSize = (size) => Math.min(size - 1, MAX_CANDIDATE_UNITS)
/** So many ends of a repeat are all looked at, also of what is left of it without its first unit. */
const UNTHINNED = 8
const thinnedSize: NextSize = (size, longest) =>
  Math.min(
    size > longest ? longest : size - (longest - size < UNTHINNED ? 1 : (longest - size) >> 2),
    MAX_CANDIDATE_UNITS,
  )
/** As `UNTHINNED`. */
const UNSPARSE = 2
const sparseSize: NextSize = (size, longest) =>
  Math.min(size > longest ? longest : size - Math.max(1, longest - size), MAX_CANDIDATE_UNITS)
const listedSize: NextSize = (size) => LISTED_SIZES.find((listed) => listed < size) ?? 0
const LISTED_SIZES = [512, 384, 256, 192, 128, 96, 64, 48, 32, 24, 16, 12, 8, 7, 6, 5, 4, 3, 2, 1]

const CHOICES = { all: [everySize, thinnedSize], most: [thinnedSize], few: [sparseSize] } as const

/** The first choice of sizes that keeps the occurrences in bounds. */
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
