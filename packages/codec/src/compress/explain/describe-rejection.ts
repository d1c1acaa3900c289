import type { PlaceGuard, Rejection } from './explain-types.ts'
import { READABILITY_RULES } from '../candidates/readability-rules.ts'

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
