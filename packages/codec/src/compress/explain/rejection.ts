import type { RosettaEntry } from '../../types.ts'
import { type ReadabilityRuleId, READABILITY_RULES } from '../candidates/readability.ts'
import type { Compression, CompressOptions } from '../types.ts'

export interface ExplainOptions extends CompressOptions {
  /** Maximum number of rejected phrases to list. @default 20 */
  readonly most?: number
}

/** What forbids a replacement at a position, no matter what it would save. */
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
  /** A phrase that the author's glossary says never to replace. */
  | 'never'
  /** Characters next to which not every decoder would recognize a term. */
  | 'seam'

/** Why a phrase is not an entry. */
export type RejectionReason =
  /** It breaks a rule of `glossary-1` (SPEC.md §8.4 and §8.6). */
  | { readonly code: 'readability'; readonly rule: ReadabilityRuleId }
  /**
   * It is a bare number, or punctuation with a quote or semicolon, under `dense-1` (SPEC.md §8.6,
   * T7).
   */
  | { readonly code: 'number' }
  /** It pays, but saves less than required. */
  | { readonly code: 'floor'; readonly needed: number }
  /** Its header entry costs at least as much as it saves. */
  | { readonly code: 'does_not_pay' }
  /**
   * `taken` of its positions overlap entries, most of them `winner`; at the others it does not pay.
   * `taken` is 0 if it would save too little next to a use of `winner`.
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
  /** Its uses were withdrawn because they would have changed a line's structure or not decoded. */
  | { readonly code: 'withdrawn' }
  /** All entries together do not pay for the header's marker. */
  | { readonly code: 'marker' }
  /**
   * It would pay besides the entries: the search comes close to the optimum but may miss it
   * (`optimality`).
   */
  | { readonly code: 'missed' }

/**
 * A phrase that is not an entry, and the tokens it would save if nothing else were replaced: net =
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
  /** The best rejected phrases, by descending `net`. */
  readonly rejected: readonly Rejection[]
}

/**
 * Describes in a few words why a phrase is not an entry.
 *
 * @example
 * describeRejection({ …, reason: { code: 'does_not_pay' } }) // 'its header entry costs at least as much as it saves'
 */
export function describeRejection({ uses, reason }: Pick<Rejection, 'uses' | 'reason'>): string {
  switch (reason.code) {
    case 'readability':
      return `${reason.rule}: ${READABILITY_RULES[reason.rule]}`
    case 'number':
      return 'T7: bare numbers, and punctuation with a quote or semicolon, are not replaced'
    case 'floor':
      return `R7: ${READABILITY_RULES.R7}`
    case 'does_not_pay':
      return 'its header entry costs at least as much as it saves'
    case 'overlaps':
      return `${reason.taken} of its positions overlap entries, mostly ${reason.winner.term} = ${quote(reason.winner.expansion)}`
    case 'pinned':
      return 'it contains a phrase that has a term in the glossary'
    case 'protected':
      return `${reason.places} of its positions are protected: ${GUARDS[reason.by]}`
    case 'no_term_left':
      return 'all terms were taken'
    case 'withdrawn':
      return 'replacing it would change the structure of lines or not decode'
    case 'marker':
      return 'all entries together save less than the instruction and the header marker cost'
    case 'missed':
      return `its ${uses} uses would still pay: the search comes close to the best dictionary but missed this phrase`
  }
}

const GUARDS: Readonly<Record<PositionGuard, string>> = {
  structure: 'markdown structure',
  place: 'not between words of prose (T12)',
  code: 'code, which is changed only with the code option',
  verbatim: 'a verbatim region',
  never: 'a phrase that the glossary says never to replace',
  seam: 'a term would not be recognized next to the text around it',
}

const SHOWN = 40

function quote(text: string): string {
  return JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text)
}
