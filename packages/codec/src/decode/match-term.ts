import { classAt, classBefore, MARK, WORD } from './word-edge.ts'

export const NONE = -1
export const WAIT = 0

/**
 * Finds the longest term that matches at `at` by the content rule (SPEC.md §4), among those numbered above `after`.
 *
 * @param node Where the first unit leads in the matcher's `trie`.
 * @param final Is the end of `text` the end of the content, or may more come.
 * @returns the term's number, `NONE`, or `WAIT` where only the text to come can tell.
 */
export function matchTerm(
  trie: Int32Array,
  node: number,
  text: string,
  at: number,
  after: number,
  final: boolean,
): number {
  if (at && classAt(text, at) & WORD && classBefore(text, at) & WORD) return NONE
  let best = NONE
  for (let end = at + 1; ; end++) {
    if (end === text.length && !final) return WAIT
    const unit = text.charCodeAt(end)
    if (trie[node + 3]! > after) {
      // The first half of a pair does not tell yet what stands there.
      if (!final && end + 1 === text.length && unit >> 10 === 54) best = WAIT
      else if (isFreeAfter(text, end)) best = trie[node + 3]!
    }
    const last = trie[node + 2]!
    let high = last
    node = trie[node + 1]!
    while (node < high) {
      const middle = ((node + high) >> 3) << 2
      if (trie[middle]! < unit) node = middle + 4
      else high = middle
    }
    if (node === last || trie[node] !== unit) return best
  }
}

function isFreeAfter(text: string, end: number): boolean {
  return end === text.length || !(classAt(text, end) & (MARK | (classBefore(text, end) & WORD)))
}
