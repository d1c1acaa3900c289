import { decode, parseRosetta, type RosettaEntry } from '@packs/codec'
import { CliError } from '../cli-error.ts'

/** A place of the content where a term stands for its expansion, in UTF-16 units of the content. */
export interface Use {
  /** Index of the entry in the header. */
  readonly entry: number
  readonly start: number
  readonly end: number
}

/**
 * Finds every use of a header's terms in content, in order.
 *
 * Which terms match does not depend on what they stand for, so the decoder itself is asked: each expansion is replaced by a
 * number written in characters that occur nowhere else, and read back.
 */
export function findUses(content: string, entries: readonly RosettaEntry[]): Use[] {
  const [edge = '', zero = '', one = ''] = pickSigns(3, content + entries.map(({ term }) => term).join(''))
  const signs = { edge, zero, one }
  const marked = decode(content, {
    entries: entries.map(({ term }, at) => ({ term, expansion: writeNumber(at, signs) })),
  })
  const uses: Use[] = []
  let shift = 0
  for (let at = marked.indexOf(signs.edge); at >= 0;) {
    const close = marked.indexOf(signs.edge, at + 1)
    const entry = readNumber(marked.slice(at + 1, close), signs)
    const start = at - shift
    const end = start + entries[entry]!.term.length
    uses.push({ entry, start, end })
    shift = close + 1 - end
    at = marked.indexOf(signs.edge, close + 1)
  }
  return uses
}

interface Signs {
  readonly edge: string
  readonly zero: string
  readonly one: string
}

function writeNumber(number: number, { edge, zero, one }: Signs): string {
  return edge + number.toString(2).replaceAll('0', zero).replaceAll('1', one) + edge
}

function readNumber(text: string, { zero, one }: Signs): number {
  return Number.parseInt(text.replaceAll(zero, '0').replaceAll(one, '1'), 2)
}

/**
 * Gives what each term of a header stands for, nesting resolved.
 *
 * @param content what the header is of
 * @throws CliError `invalid_pack` of {@link pickSigns}
 */
export function resolvePhrases(content: string, rosetta: string): string[] {
  const { entries } = parseRosetta(rosetta)
  const [sign = ''] = pickSigns(1, content + rosetta)
  return decode(entries.map(({ term }) => term).join(sign), rosetta).split(sign)
}

const PRIVATE_USE_FROM = 0xe000
const PRIVATE_USE_TO = 0xf8ff

/**
 * Picks private-use characters that a text does not hold. They are no letters, so a term beside one matches.
 *
 * @throws CliError `invalid_pack` where the text holds nearly all 6,400 of them
 */
export function pickSigns(count: number, text: string): string[] {
  const taken = new Set(text.match(/[\uE000-\uF8FF]/g))
  const free: string[] = []
  for (let unit = PRIVATE_USE_FROM; unit <= PRIVATE_USE_TO; unit++) {
    const sign = String.fromCharCode(unit)
    if (!taken.has(sign)) free.push(sign)
    if (free.length === count) return free
  }
  throw new CliError(
    'invalid_pack',
    'the pack uses nearly every private-use character, so its entries cannot be told apart',
    'use `pack check` and `pack decode` for it',
  )
}
