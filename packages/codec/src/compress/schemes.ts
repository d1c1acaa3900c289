import type { OccurrenceLimit } from './candidates/candidate-set.ts'
import type { Scheme } from '../types.ts'

/** SPEC.md, schemes. */
export interface SchemePlan {
  /** The only entries are phrases to which the author gave a term, in prose. */
  readonly authorOnly: boolean
  /** Entries keep code spans, links, bold text, names and sentences whole. */
  readonly keepsParts: boolean
  /** Lines keep their block structure, and candidates stay inside lines. */
  readonly keepsLines: boolean
  /** Expansions may contain terms. */
  readonly nests: boolean
  /** Subgradient steps of the selection, by effort; `large` is for `fast` on a large text. */
  readonly steps: { readonly fast: number; readonly large: number; readonly best: number }
  readonly occurrences: OccurrenceLimit
}

/** Units of a large text, about two thirds of a megabyte. It needs nearly all terms. */
export const LARGE_FROM: number = 1 << 18

export const SCHEME_PLANS: Record<Exclude<Scheme, 'none'>, SchemePlan> = {
  'minify-1': {
    authorOnly: true,
    keepsParts: false,
    keepsLines: true,
    nests: false,
    steps: { fast: 60, large: 14, best: 300 },
    occurrences: { most: 1, kept: 0.6 },
  },
  'dense-2': {
    authorOnly: false,
    keepsParts: true,
    keepsLines: true,
    nests: true,
    steps: { fast: 64, large: 10, best: 300 },
    occurrences: { most: 2.5, kept: 1 },
  },
  'max-2': {
    authorOnly: false,
    keepsParts: false,
    keepsLines: false,
    nests: true,
    steps: { fast: 112, large: 36, best: 300 },
    occurrences: { most: 7.5, kept: 2 },
  },
}
