import type { RosettaEntry } from '../../types.ts'
import { type ReadabilityRuleId, READABILITY_RULES } from '../candidates/readability.ts'
import type { Compression, CompressOptions } from '../types.ts'

export interface ExplainOptions extends CompressOptions {
  /** Maximum number of rejected phrases to list. @default 20 */
  readonly most?: number
}

/** What forbids a replacement at a position, whatever it would save. */
export type PositionGuard =
  /**
   * Line structure: markers, table pipes, headings, definitions, first and last lines of HTML
   * blocks.
   */
  | 'structure'
  /** Anything but prose, under `glossary-1` (SPEC.md §8.6, T12). */
  | 'place'
  /** Fenced and indented code, under `glossary-1` without `code`. */
  | 'code'
  /** A region that the author marked as verbatim. */
  | 'verbatim'
  /** A phrase that the author's glossary says is never replaced. */
  | 'never'
  /** A neighbour next to which a term would not be recognized, or not by every decoder. */
  | 'seam'

/** Why a phrase is no entry. */
export type RejectionReason =
  /** It breaks a rule of `glossary-1` (SPEC.md §8.4 and §8.6). */
  | { readonly code: 'readability'; readonly rule: ReadabilityRuleId }
  /**
   * It is a bare number, or punctuation with a quote or semicolon, under `dense-1` (SPEC.md §8.6,
   * T7).
   */
  | { readonly code: 'number' }
  /** It pays, but saves less than an entry must. */
  | { readonly code: 'floor'; readonly needed: number }
  /** Its header costs as much as it saves, or more. */
  | { readonly code: 'does_not_pay' }
  /**
   * `taken` of its positions overlap entries, most of them `winner`; at the others it does not pay.
   * `taken` is 0 if a use next to one of `winner` would save too little.
   */
  | { readonly code: 'overlaps'; readonly winner: RosettaEntry; readonly taken: number }
  /** It contains a phrase for which the author fixed a term. */
  | { readonly code: 'pinned'; readonly rule: number }
  /**
   * `places` of its positions are protected, most of them for the reason `by`; at the others it
   * does not pay.
   */
  | { readonly code: 'protected'; readonly by: PositionGuard; readonly places: number }
  | { readonly code: 'no_term_left' }
  /**
   * Its uses were withdrawn because they would have changed a line's structure or not been decoded.
   */
  | { readonly code: 'withdrawn' }
  /** All entries together do not pay for the header's marker. */
  | { readonly code: 'marker' }
  /**
   * It would pay in addition to the entries; the search comes close to the optimum but may miss it
   * (`optimality`).
   */
  | { readonly code: 'missed' }

/**
 * A phrase that is no entry, and the tokens it would save if nothing else were replaced: net =
 * gross − header.
 */
export interface Rejection {
  readonly phrase: string
  /** Occurrences that do not overlap. */
  readonly uses: number
  readonly gross: number
  readonly header: number
  readonly net: number
  readonly reason: RejectionReason
}

/** The result of {@link explainCompression}. */
export interface Explanation {
  readonly compression: Compression
  /** The best phrases left out, by falling `net`. */
  readonly rejected: readonly Rejection[]
}

/**
 * Describes in a few words why a phrase is no entry.
 *
 * @example
 * describeRejection({ …, reason: { code: 'does_not_pay' } }) // 'its header entry costs as much as it saves'
 */
export function describeRejection({ uses, reason }: Pick<Rejection, 'uses' | 'reason'>): string {
  switch (reason.code) {
    case 'readability':
      return `${reason.rule}: ${READABILITY_RULES[reason.rule]}`
    case 'number':
      return 'T7: no term stands for a bare number, or for punctuation with a quote or semicolon'
    case 'floor':
      return `R7: ${READABILITY_RULES.R7}`
    case 'does_not_pay':
      return 'its header entry costs as much as it saves'
    case 'overlaps':
      return `${reason.taken} of its positions overlap entries, mostly ${reason.winner.term} = ${quote(reason.winner.expansion)}`
    case 'pinned':
      return 'it contains a phrase that has a term in the glossary'
    case 'protected':
      return `${reason.places} of its positions are protected: ${GUARDS[reason.by]}`
    case 'no_term_left':
      return 'no unused term was left for it'
    case 'withdrawn':
      return 'its uses would change lines or would not be decoded'
    case 'marker':
      return 'all entries together do not pay for the instruction and the header marker'
    case 'missed':
      return `${uses} uses would still pay: the search came close to the best dictionary but missed it`
  }
}

const GUARDS: Readonly<Record<PositionGuard, string>> = {
  structure: 'markdown structure',
  place: 'not between words of prose (T12)',
  code: 'code, which is changed only with the code option',
  verbatim: 'a verbatim region',
  never: 'a phrase that the glossary forbids to replace',
  seam: 'a term next to its neighbours would not be recognized',
}

const SHOWN = 40

function quote(text: string): string {
  return JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text)
}
