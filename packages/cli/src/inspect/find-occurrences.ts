import { decode, type RosettaEntry } from '@packs/codec'
import { pickSigns } from './pick-signs.ts'

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
