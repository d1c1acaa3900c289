import type { RosettaEntry } from '../../types.ts'
import { type ReadabilityRuleId, READABILITY_RULES } from '../candidates/readability.ts'
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

/**
 * Says in a few words why a phrase is no entry.
 *
 * @example
 * describeRejection({ …, reason: { code: 'does_not_pay' } }) // 'its pair in the header takes what it saves'
 */
export function describeRejection({ uses, reason }: Pick<Rejection, 'uses' | 'reason'>): string {
  switch (reason.code) {
    case 'readability':
      return `${reason.rule}: ${READABILITY_RULES[reason.rule]}`
    case 'floor':
      return `R7: ${READABILITY_RULES.R7}`
    case 'does_not_pay':
      return 'its pair in the header takes what it saves'
    case 'overlaps':
      return `${reason.taken} of its places are taken, most by ${reason.winner.term} = ${quote(reason.winner.expansion)}`
    case 'pinned':
      return 'it holds a phrase that has a term in the glossary'
    case 'protected':
      return `${reason.places} of its places must stay: ${GUARDS[reason.by]}`
    case 'no_term_left':
      return 'the text left no free term for it'
    case 'withdrawn':
      return 'its uses would change lines or could not be read back'
    case 'marker':
      return 'all entries together do not pay for the marker of the header'
    case 'missed':
      return `${uses} uses would still pay: the search is near the best dictionary, not at it`
  }
}

const GUARDS: Readonly<Record<PlaceGuard, string>> = {
  structure: 'markdown structure',
  code: 'code, which is left alone without the code option',
  verbatim: 'a verbatim region',
  never: 'a phrase that the glossary forbids',
  seam: 'a term could not be read back beside its neighbours',
}

const SHOWN = 40

function quote(text: string): string {
  return JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text)
}
