import { CodecError } from '../errors.ts'
import type { Rosetta } from '../types.ts'
import { checkEntries } from './check-entry.ts'
import { ESCAPED, LETTERS, MARKER, MAX_HEADER } from './grammar.ts'

/**
 * Serializes a header in its canonical form (SPEC.md §3.4), the inverse of `parseRosetta`.
 *
 * @throws CodecError with the invalid entry and a code of `parseRosetta`
 * @example
 * serializeRosetta({ entries: [{ term: 'OR', expansion: ' a|b' }] }) // '[DECODE] OR= a\\|b'
 */
export function serializeRosetta(rosetta: Rosetta): string {
  const pairs = checkEntries(rosetta.entries).map(
    ({ term, expansion }) => escape(term, /[\\|=]/g) + '=' + escape(expansion, /[\\|\n\r\t]/g),
  )
  const text = pairs.length ? `${MARKER} ${pairs.join('|')}` : MARKER
  if (text.length > MAX_HEADER) throw new CodecError('header_too_long', { offset: MAX_HEADER })
  return text
}

function escape(text: string, characters: RegExp): string {
  return text.replace(characters, (character) => '\\' + LETTERS[ESCAPED.indexOf(character)])
}
