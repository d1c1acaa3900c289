import { classAt, classBefore, MARK, WORD } from './word-edge.ts'

const ROOT = 1024

/**
 * Builds the trie of a header's terms over UTF-16 units. It begins with 1 for the lowest ten bits
 * of each unit that a term begins with. The nodes follow, level by level, with four numbers for
 * each. Node n is a multiple of 4, and 1,024 is the root. It has its unit at n, its first child at
 * n + 1, the node after its last child at n + 2, and at n + 3 the number of the term that ends
 * here, or 0. Children are adjacent and sorted by unit. A step in the trie costs the logarithm of
 * the number of children, for any terms.
 * @param terms numbered by index from 1; index 0 holds an empty string
 */
export function createTrie(terms: readonly string[]): Int32Array {
  const trie = new Int32Array(4 * terms.join('').length + 1028)
  const sorted = [...terms.keys()].sort((a, b) => (terms[a]! < terms[b]! ? -1 : 1))
  let node = ROOT
  const reached = terms.map(() => node)
  for (let depth = 0, longer = true; longer; depth++) {
    let parent = -1
    longer = false
    for (const term of sorted) {
      const unit = terms[term]!.charCodeAt(depth)
      if (unit >= 0) {
        longer = true
        if (reached[term] !== parent || trie[node] !== unit) {
          parent = reached[term]!
          node += 4
          trie[node] = unit
          trie[parent + 1] ||= node
          trie[parent + 2] = node + 4
          if (!depth) trie[unit & 1023] = 1
        }
        reached[term] = node
      } else trie[reached[term]! + 3] = term
    }
  }
  return trie
}

/** The next unit that can begin a term. So small a loop runs twice as fast on its own. */
export function skip(text: string, next: number, trie: Int32Array): number {
  while (next < text.length && !trie[text.charCodeAt(next) & 1023]) next++
  return next
}

export const NONE = -1
export const WAIT = 0

/**
 * Finds the longest term with a number above `after` that matches at `at` (SPEC.md §4).
 * @param final whether the end of `text` is the end of the content
 * @returns the term's number, `NONE`, or `WAIT` if the result depends on text that is still to come
 */
export function matchTerm(trie: Int32Array, text: string, at: number, after: number, final: boolean): number {
  if (at && classAt(text, at) & WORD && classBefore(text, at) & WORD) return NONE
  let best = NONE
  let node = ROOT
  for (let end = at; ; end++) {
    if (end === text.length && !final) return WAIT
    const unit = text.charCodeAt(end)
    if (trie[node + 3]! > after) {
      // The first half of a surrogate pair does not tell yet which character follows.
      if (!final && end + 1 === text.length && unit >> 10 === 54) best = WAIT
      else if (end === text.length || !(classAt(text, end) & (MARK | (classBefore(text, end) & WORD))))
        best = trie[node + 3]!
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
