import { CharKind } from '../text/char-kind.ts'
import type { Units } from '../text/lex-units.ts'

/**
 * Numbers the boundaries of a text so that two of them have the same number exactly if the brackets and quotes between
 * them are balanced.
 *
 * The numbers are nodes of a tree: the stacks of open marks. A bracket opens a new node each time, so a closed one is
 * never reached again. A quote opens the same node each time, as it closes what it opened before: two quotes cancel from
 * wherever one begins to read. A closing bracket without its opening one begins a new tree.
 */
export function numberBracketDepths({ text, starts, kinds, count }: Units): Int32Array {
  const numbers = new Int32Array(count + 1)
  const parents = [0]
  /** The character that closes each node, 0 for the root of a tree. */
  const closers = [0]
  /** The nodes that the quotes open from a node: three for each node. */
  const quoted = [0, 0, 0]
  const open = (parent: number, closer: number): number => {
    quoted.push(0, 0, 0)
    closers.push(closer)
    return parents.push(parent) - 1
  }
  let node = 0
  for (let unit = 0; unit < count; unit++) {
    numbers[unit] = node
    if ((kinds[unit]! & CharKind.word) !== 0) continue
    for (let at = starts[unit]!; at < starts[unit + 1]!; at++) {
      const code = text.charCodeAt(at)
      const mark = code < MARKS.length ? MARKS[code]! : 0
      if (mark === 0) continue
      if (mark === OPENING) node = open(node, CLOSERS.get(code)!)
      else if (closers[node] === code) node = parents[node]!
      else if (mark === CLOSING) node = open(node, 0)
      else node = quoted[3 * node + mark - FIRST_QUOTE] ||= open(node, code)
    }
  }
  numbers[count] = node
  return numbers
}

const OPENING = 1
const CLOSING = 2
const FIRST_QUOTE = 3
const CLOSERS: ReadonlyMap<number, number> = new Map(
  ['()', '[]', '{}', '<>', '“”', '「」'].map((pair) => [pair.charCodeAt(0), pair.charCodeAt(1)]),
)
/** What each character is, up to the last bracket. */
const MARKS = new Uint8Array(1 + Math.max(...CLOSERS.values()))
for (const [opening, closing] of CLOSERS) {
  MARKS[opening] = OPENING
  MARKS[closing] = CLOSING
}
for (const [index, quote] of ['`', '"', '*'].entries()) MARKS[quote.charCodeAt(0)] = FIRST_QUOTE + index
