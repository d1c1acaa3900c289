/**
 * The terms of a header as a trie over UTF-16 units, four numbers a node. Node n, a multiple of 4 and 0 for the root, has
 * its unit at n, its first child at n + 1, the node behind its last child at n + 2, and at n + 3 the number of the term
 * that ends here; 0 where there is none. Children lie together, sorted by unit.
 */
export interface Matcher {
  readonly trie: Int32Array
  /** The root's child at each unit, 0 where no term begins with it. */
  readonly first: Int32Array
}

/**
 * Builds the trie level by level. Terms are numbered by their place, from 1 up: at 0 stands an empty string.
 *
 * A step in it costs the logarithm of a node's children, whatever the terms are.
 */
export function createMatcher(terms: readonly string[]): Matcher {
  const trie = new Int32Array(4 * terms.join('').length + 4)
  const first = new Int32Array(65_536)
  const sorted = [...terms.keys()].sort((a, b) => (terms[a]! < terms[b]! ? -1 : 1))
  const reached = terms.map(() => 0)
  let node = 0
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
          if (!depth) first[unit] = node
        }
        reached[term] = node
      } else trie[reached[term]! + 3] = term
    }
  }
  return { trie, first }
}
