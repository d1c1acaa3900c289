import { decode, parseRosetta, type RosettaEntry } from '@packs/codec'
import { CliError } from '../cli-error.ts'

/** A place in the content where decode replaces a term by its expansion; offsets in UTF-16 units of the content. */
export interface Occurrence {
  /** Index of the entry in the header. */
  readonly entry: number
  readonly start: number
  readonly end: number
}

/**
 * Finds every occurrence of a header's terms in content, in order.
 *
 * It uses the decoder itself, because the expansions do not influence which terms match: each expansion is replaced by the
 * entry's index, written in characters that occur nowhere else, and the indexes are read back from the decoded text.
 *
 * @throws CliError `invalid_pack` of {@link pickUnusedCharacters}
 */
export function findOccurrences(content: string, entries: readonly RosettaEntry[]): Occurrence[] {
  const [delimiter = '', zero = '', one = ''] = pickUnusedCharacters(
    3,
    content + entries.map(({ term }) => term).join(''),
  )
  const digits = { delimiter, zero, one }
  const marked = decode(content, {
    entries: entries.map(({ term }, at) => ({ term, expansion: writeNumber(at, digits) })),
  })
  const occurrences: Occurrence[] = []
  let offset = 0
  for (let at = marked.indexOf(digits.delimiter); at >= 0;) {
    const close = marked.indexOf(digits.delimiter, at + 1)
    const entry = readNumber(marked.slice(at + 1, close), digits)
    const start = at - offset
    const end = start + entries[entry]!.term.length
    occurrences.push({ entry, start, end })
    offset = close + 1 - end
    at = marked.indexOf(digits.delimiter, close + 1)
  }
  return occurrences
}

interface Digits {
  readonly delimiter: string
  readonly zero: string
  readonly one: string
}

function writeNumber(number: number, { delimiter, zero, one }: Digits): string {
  return delimiter + number.toString(2).replaceAll('0', zero).replaceAll('1', one) + delimiter
}

function readNumber(text: string, { zero, one }: Digits): number {
  return Number.parseInt(text.replaceAll(zero, '0').replaceAll(one, '1'), 2)
}

/**
 * Returns the full expansion of each term of a header, with references to other terms resolved.
 *
 * @param content the content that the header belongs to
 * @throws CliError `invalid_pack` of {@link pickUnusedCharacters}
 */
export function resolveExpansions(content: string, rosetta: string): string[] {
  const { entries } = parseRosetta(rosetta)
  const [separator = ''] = pickUnusedCharacters(1, content + rosetta)
  return decode(entries.map(({ term }) => term).join(separator), rosetta).split(separator)
}

const PRIVATE_USE_FROM = 0xe000
const PRIVATE_USE_TO = 0xf8ff

/**
 * Picks private-use characters that do not occur in a text. They are not letters, so a term next to one still matches.
 *
 * @throws CliError `invalid_pack` if the text contains nearly all 6,400 of them
 */
export function pickUnusedCharacters(count: number, text: string): string[] {
  const taken = new Set(text.match(/[\uE000-\uF8FF]/g))
  const free: string[] = []
  for (let unit = PRIVATE_USE_FROM; unit <= PRIVATE_USE_TO; unit++) {
    const character = String.fromCharCode(unit)
    if (!taken.has(character)) free.push(character)
    if (free.length === count) return free
  }
  throw new CliError(
    'invalid_pack',
    'the pack contains nearly every private-use character, so none is left to mark its entries',
    'use `pack check` and `pack decode` instead',
  )
}
