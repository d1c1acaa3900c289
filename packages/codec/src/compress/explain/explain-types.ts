import type { RosettaEntry } from '../../types.ts'
import type { ReadabilityRuleId } from '../candidates/readability-rules.ts'
import type { Compression, CompressOptions } from '../types.ts'

export interface ExplainOptions extends CompressOptions {
  /** Most rejected phrases to list. @default 20 */
  readonly most?: number
}

/** What keeps a place from being used, whatever it would save. */
export type PlaceGuard =
  /** Line structure: markers, table pipes, definitions, first and last lines of HTML blocks. */
  | 'structure'
  /** Fenced and indented code, under `glossary-1` without `code`. */
  | 'code'
  /** A region that the author keeps verbatim. */
  | 'verbatim'
  /** A phrase that the author says is never to be replaced. */
  | 'never'
  /** A neighbour beside which a term could not be read back, or not by every decoder. */
  | 'seam'

/** Why a phrase is no entry. */
export type RejectionReason =
  /** It breaks a rule of `glossary-1` (SPEC.md §8.4). */
  | { readonly code: 'readability'; readonly rule: ReadabilityRuleId }
  /** It pays, but less than an entry must bring. */
  | { readonly code: 'floor'; readonly needed: number }
  /** It costs as much in the header as it saves, or more. */
  | { readonly code: 'does_not_pay' }
  /**
   * `taken` of its places are taken by entries, most of them by `winner`; in the others it does not pay. None where a use
   * beside one of `winner` would save too little.
   */
  | { readonly code: 'overlaps'; readonly winner: RosettaEntry; readonly taken: number }
  /** It holds a phrase for which the author fixed a term. */
  | { readonly code: 'pinned'; readonly rule: number }
  /** `places` of its places must not be touched, most of them for one reason; in the others it does not pay. */
  | { readonly code: 'protected'; readonly by: PlaceGuard; readonly places: number }
  | { readonly code: 'no_term_left' }
  /** Uses were taken back, as they would have changed a line's structure or not been read back. */
  | { readonly code: 'withdrawn' }
  /** All entries together do not pay for the header's marker. */
  | { readonly code: 'marker' }
  /** It would pay beside the entries; the search is near the optimum, not at it (`optimality`). */
  | { readonly code: 'missed' }

/** A phrase that is no entry, and what it would bring in tokens if nothing else were replaced: net = gross − header. */
export interface Rejection {
  readonly phrase: string
  /** Places that do not overlap. */
  readonly uses: number
  readonly gross: number
  readonly header: number
  readonly net: number
  readonly reason: RejectionReason
}

/** The result of {@link explainCompression}. */
export interface Explanation {
  readonly compression: Compression
  /** The best phrases left out, by `net`, falling. */
  readonly rejected: readonly Rejection[]
}
