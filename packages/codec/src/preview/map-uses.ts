import { decode } from '../decode/decode.ts'
import { MAX_TERM } from '../rosetta/grammar.ts'
import { parseRosetta } from '../rosetta/parse-rosetta.ts'
import type { RosettaEntry } from '../types.ts'

/** Where a content and its body say the same: between uses of terms unit by unit, at a use term for expansion. */
export interface UseMap {
  /** The body offset that the map reaches. */
  readonly bodyEnd: number
  /** The content offset of a body offset, absent inside an expansion: there is no cut. */
  toContent(bodyOffset: number): number | undefined
  /** Where the expansion around a body offset ends; the offset itself where there is none. */
  skipExpansion(bodyOffset: number): number
}

/**
 * Maps `content` to what it decodes to, as far as `limit`.
 *
 * The decoder itself tells the uses: which terms match does not depend on what they stand for, so each is decoded to its
 * number, written in characters that occur nowhere else.
 */
export function mapUses(content: string, rosetta: string, limit: number): UseMap {
  const { entries } = parseRosetta(rosetta)
  if (entries.length === 0) return createUseMap([], limit)
  const sentinels = chooseSentinels(content + rosetta)
  if (sentinels === undefined) return createUseMap([], 0)
  const lengths = measureExpansions(rosetta, entries, sentinels.edge)
  // Behind the limit: the longest term that begins before it, and its right neighbour.
  const marked = decode(content.slice(0, limit + 2 * MAX_TERM + 2), {
    entries: entries.map(({ term }, index) => ({ term, expansion: writeNumber(index, sentinels) })),
  })
  const uses: number[] = []
  let contentEnd = 0
  let bodyEnd = 0
  let next = 0
  for (let edge = marked.indexOf(sentinels.edge); edge >= 0; edge = marked.indexOf(sentinels.edge, next)) {
    const start = contentEnd + edge - next
    if (start >= limit) break
    const close = marked.indexOf(sentinels.edge, edge + 1)
    const index = readNumber(marked.slice(edge + 1, close), sentinels)
    const bodyStart = bodyEnd + edge - next
    contentEnd = start + (entries[index]?.term.length ?? 0)
    bodyEnd = bodyStart + (lengths[index] ?? 0)
    uses.push(contentEnd, bodyStart, bodyEnd)
    next = close + 1
  }
  return createUseMap(uses, bodyEnd + Math.max(0, limit - contentEnd))
}

/** Of use n `uses` holds three numbers from 3n on: its end in the content, its start and its end in the body. */
function createUseMap(uses: readonly number[], bodyEnd: number): UseMap {
  /** Where in `uses` the last one is that begins before a body offset; -3 where none does. */
  const findUse = (bodyOffset: number): number => {
    let low = 0
    let high = uses.length / 3
    while (low < high) {
      const middle = (low + high) >> 1
      if (uses[3 * middle + 1]! < bodyOffset) low = middle + 1
      else high = middle
    }
    return 3 * (low - 1)
  }
  return {
    bodyEnd,
    toContent(bodyOffset) {
      const use = findUse(bodyOffset)
      if (use < 0) return bodyOffset
      const beyond = bodyOffset - uses[use + 2]!
      return beyond < 0 ? undefined : uses[use]! + beyond
    },
    skipExpansion(bodyOffset) {
      const use = findUse(bodyOffset)
      return use < 0 ? bodyOffset : Math.max(bodyOffset, uses[use + 2]!)
    },
  }
}

/** UTF-16 units of each entry's expansion once nesting is resolved. */
function measureExpansions(rosetta: string, entries: readonly RosettaEntry[], edge: string): number[] {
  const terms = entries.map(({ term }) => term + edge).join('')
  return decode(terms, rosetta)
    .split(edge)
    .map(({ length }) => length)
}

interface Sentinels {
  readonly edge: string
  readonly zero: string
  readonly one: string
}

/** Three private-use characters that a text does not hold. They are no letters, so a term beside one matches. */
function chooseSentinels(text: string): Sentinels | undefined {
  const taken = new Set(text.match(/[\uE000-\uF8FF]/g))
  const free: string[] = []
  for (let unit = 0xe000; unit <= 0xf8ff && free.length < 3; unit++) {
    const sentinel = String.fromCharCode(unit)
    if (!taken.has(sentinel)) free.push(sentinel)
  }
  const [edge, zero, one] = free
  return edge === undefined || zero === undefined || one === undefined ? undefined : { edge, zero, one }
}

function writeNumber(number: number, { edge, zero, one }: Sentinels): string {
  const digits = Array.from(number.toString(2), (digit) => (digit === '0' ? zero : one))
  return edge + digits.join('') + edge
}

function readNumber(text: string, { one }: Sentinels): number {
  let number = 0
  for (const digit of text) number = 2 * number + (digit === one ? 1 : 0)
  return number
}
