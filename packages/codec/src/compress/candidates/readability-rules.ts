/** Number of a readability rule (SPEC.md, readability rules of glossary-1). */
export type ReadabilityRuleId = 'R1' | 'R2' | 'R3' | 'R4' | 'R5' | 'R6' | 'R7' | 'R8' | 'R9'

/** Net tokens that an entry must bring, and one that begins or ends with a stop word. */
export const FLOOR = 3
export const CLEARLY = 4

/** Shortest single name that may be an entry, in UTF-16 units. */
export const LONG_NAME = 6

/** What each rule asks of an entry. */
export const READABILITY_RULES: Readonly<Record<ReadabilityRuleId, string>> = {
  R1: 'an entry says something: it is not of stop words only',
  R2: `an entry that begins or ends with a stop word nets ${CLEARLY} tokens or more`,
  R3: 'brackets and quotes are balanced',
  R4: 'no use cuts a number, a version or a section reference',
  R5: 'an entry begins and ends with a word',
  R6: `an entry is two words or more, or one name of ${LONG_NAME} letters or more that takes more than one token`,
  R7: `an entry nets ${FLOOR} tokens or more`,
  R8: 'an entry stays inside one line and one table cell',
  R9: 'a term is no common English word',
}
