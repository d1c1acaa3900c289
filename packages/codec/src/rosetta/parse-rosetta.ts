import { CodecError } from '../errors.ts'
import type { Rosetta, RosettaEntry } from '../types.ts'
import { checkEntry, checkEntries, ESCAPED, LETTERS, MAX_HEADER, MARKER } from './grammar.ts'

export interface ParseOptions {
  /**
   * Also accepts common deviations (SPEC.md §3.5): another marker (`[ROSETTA]`, `DECODE:`), white
   * space around pairs (trimmed), a trailing `|`.
   * @default false
   */
  readonly lenient?: boolean
}

/**
 * Parses a header (SPEC.md §3).
 * @throws CodecError with the UTF-16 offset of the first error
 * @example
 * parseRosetta('[DECODE] ML=machine learning').entries // [{ term: 'ML', expansion: 'machine
 * learning' }]
 */
export function parseRosetta(text: string, { lenient = false }: ParseOptions = {}): Rosetta {
  return { entries: lenient ? readHeader(trimEnd(`${text}`), LENIENT_MARKER, trimPair) : readHeader(text) }
}

const LENIENT_MARKER = /^[^\S\n\r]*(?:\[[^[\]|=\\\n\r]{1,64}\]:?|[^\s[\]|=\\:]{1,64}:)\s*/u

function trimEnd(text: string): string {
  return /[\n\r]/.test(text)
    ? text
    : text
        .trimEnd()
        .replace(/(?<!\\)((?:\\\\)*)\|$/, '$1')
        .trimEnd()
}

function trimPair([term, expansion]: RawPair): RawPair {
  // With white space before the "=", the white space after it is not part of the expansion either.
  const loose = term !== term.trimEnd()
  return [term.trim(), loose ? expansion.trim() : expansion.trimEnd()]
}

/** Both sides of a pair, still escaped. */
export type RawPair = readonly [term: string, expansion: string]

/**
 * Parses a header (SPEC.md §3).
 * @param marker matches the marker and the space after it, or a marker alone
 * @param tidy changes a pair before it is unescaped
 * @throws CodecError
 */
export function readHeader(
  text: string,
  marker: RegExp = /^\[DECODE](?:[ \n\r]|$)/,
  tidy: (pair: RawPair) => RawPair = (pair) => pair,
): RosettaEntry[] {
  const entries: RosettaEntry[] = []
  const seen = new Set<string>()
  if (typeof text !== 'string') throw new CodecError('wrong_type', {})
  if (text.length > MAX_HEADER) throw new CodecError('header_too_long', { offset: MAX_HEADER })
  const found = marker.exec(text)?.[0]
  if (!found) throw new CodecError('no_marker', { offset: 0 }, text)
  if (found === text.trimEnd()) return entries
  let start = found.length
  let split = 0
  for (const { 0: mark, index: end } of text.matchAll(/\\[\\|=nrt]|[\\|=\n\r]|$/g)) {
    const position = { offset: end, entry: entries.length }
    if (mark === '=') split ||= end
    else if (mark === '\\') throw new CodecError('dangling_escape', position, text.slice(end, end + 2))
    else if (mark && mark < ' ') throw new CodecError('newline', position)
    else if (!mark[1]) {
      position.offset = start
      if (!split) throw new CodecError('missing_equals', position, text.slice(start, end))
      const [term, expansion] = tidy([text.slice(start, split), text.slice(split + 1, end)])
      entries.push(checkEntry({ term: unescape(term), expansion: unescape(expansion) }, seen, position))
      start = end + 1
      split = 0
    }
  }
  return entries
}

function unescape(raw: string): string {
  return raw.replace(/\\(.)/g, (_, letter: string) => ESCAPED[LETTERS.indexOf(letter)]!)
}

/**
 * Serializes a header in its canonical form (SPEC.md §3.4), the inverse of `parseRosetta`.
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
