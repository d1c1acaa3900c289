import { decode } from '../decode/decode.ts'
import { MAX_TERM } from '../rosetta/grammar.ts'
import { parseRosetta } from '../rosetta/parse-rosetta.ts'
import type { RosettaEntry } from '../types.ts'

/**
 * Maps offsets of a body to its content. Between uses of terms both advance unit by unit; a use maps to its whole
 * expansion.
 */
export interface UseMap {
  /** The last body offset that the map covers. */
  readonly bodyEnd: number
  /** The content offset of a body offset; undefined inside an expansion, where no cut is possible. */
  toContent(bodyOffset: number): number | undefined
  /** The end of the expansion around a body offset; the offset itself if there is none. */
  skipExpansion(bodyOffset: number): number
}

/**
 * Maps `content` up to `limit` to its decoded text.
 *
 * The decoder itself finds the uses: which terms match does not depend on their expansions, so each term is
 * decoded to its number, written in characters that occur nowhere else.
 */
export function mapUses(content: string, rosetta: string, limit: number): UseMap {
  const { entries } = parseRosetta(rosetta)
  if (entries.length === 0) return createUseMap([], limit)
  const sentinels = chooseSentinels(content + rosetta)
  if (sentinels === undefined) return createUseMap([], 0)
  const lengths = measureExpansions(rosetta, entries, sentinels.edge)
  // The longest term that begins before the limit, and its right neighbour, extend beyond it.
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

/** @param uses three numbers for each use: its end in the content, its start and its end in the body */
function createUseMap(uses: readonly number[], bodyEnd: number): UseMap {
  /** Index in `uses` of the last use that begins before a body offset; -3 if there is none. */
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

/** UTF-16 units of each entry's expansion after nesting is resolved. */
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

/**
 * Chooses three private-use characters that a text does not contain. They are not letters, so a term next to one
 * matches.
 */
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
