import { parseRosetta } from '../rosetta/parse-rosetta.ts'
import type { RosettaEntry } from '../types.ts'
import { decode } from './decode.ts'

/**
 * A position in the content where decode replaces a term with its expansion; offsets in UTF-16
 * units of the content.
 */
export interface Occurrence {
  readonly entry: number
  readonly start: number
  readonly end: number
}

/**
 * Finds every occurrence of a header's terms in content, in order. It uses the decoder itself,
 * because the expansions do not influence which terms match: each expansion is replaced by the
 * entry's index, written in characters that occur nowhere else, and the indexes are read back from
 * the decoded text.
 * @throws RangeError of {@link pickUnusedCharacters}
 */
export function findOccurrences(content: string, entries: readonly RosettaEntry[]): Occurrence[] {
  const [delimiter = '', zero = '', one = ''] = pickUnusedCharacters(
    3,
    content + entries.map(({ term }) => term).join(''),
  )
  const write = (number: number): string =>
    delimiter + number.toString(2).replaceAll('0', zero).replaceAll('1', one) + delimiter
  const read = (text: string): number => Number.parseInt(text.replaceAll(zero, '0').replaceAll(one, '1'), 2)
  const marked = decode(content, {
    entries: entries.map(({ term }, at) => ({ term, expansion: write(at) })),
  })
  const occurrences: Occurrence[] = []
  let offset = 0
  for (let at = marked.indexOf(delimiter); at >= 0;) {
    const close = marked.indexOf(delimiter, at + 1)
    const entry = read(marked.slice(at + 1, close))
    const start = at - offset
    const end = start + entries[entry]!.term.length
    occurrences.push({ entry, start, end })
    offset = close + 1 - end
    at = marked.indexOf(delimiter, close + 1)
  }
  return occurrences
}

/**
 * Returns the full expansion of each term of a header, with references to other terms resolved.
 * @param content the content that the header belongs to
 * @throws RangeError of {@link pickUnusedCharacters}
 */
export function resolveExpansions(content: string, rosetta: string): string[] {
  const { entries } = parseRosetta(rosetta)
  const [separator = ''] = pickUnusedCharacters(1, content + rosetta)
  return decode(entries.map(({ term }) => term).join(separator), rosetta).split(separator)
}

/**
 * Picks private-use characters that do not occur in a text. They are not letters, so a term next to
 * one still matches.
 * @throws RangeError if the text contains nearly all 6,400 of them
 */
export function pickUnusedCharacters(count: number, text: string): string[] {
  const taken = new Set(text.match(/[\uE000-\uF8FF]/g))
  const free: string[] = []
  for (let unit = 0xe000; unit <= 0xf8ff; unit++) {
    const character = String.fromCharCode(unit)
    if (!taken.has(character)) free.push(character)
    if (free.length === count) return free
  }
  throw new RangeError(
    'the pack contains nearly every private-use character, so none is left to mark its entries',
  )
}

/** Returns `at`, or the offset before it if `at` is inside a surrogate pair. */
export function findCutOffset(text: string, at: number): number {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 ? at - 1 : at
}
