import { createTrie, matchTerm } from '../decode/match-term.ts'
import type { DecodedPack } from './decoded-pack.ts'

/**
 * Tells for each term of each pack whether it clashes: it matches in the text of a pack that does not have it, or
 * an earlier pack uses it for something else. Reads every text once, for the terms of all packs.
 */
export function findClashes(packs: readonly DecodedPack[]): boolean[][] {
  const all = new Set(['', ...packs.flatMap((pack) => pack.terms)])
  const terms = [...all]
  const first = new Int32Array(65_536)
  const trie = createTrie(terms, first)
  const strange = new Set<string>()
  for (const pack of packs) {
    const own = new Set(pack.terms)
    const found = new Set<number>()
    for (let at = 0; at < pack.text.length; at++) {
      const node = first[pack.text.charCodeAt(at)]!
      if (node) found.add(matchTerm(trie, node, pack.text, at, 0, true))
    }
    for (const number of found) {
      // A prefix of a term may match where the term does, but not inside a word.
      for (let term = terms[number] ?? '', end = term.length; end; end--) {
        const prefix = term.slice(0, end)
        if (all.has(prefix) && !own.has(prefix) && !/\w\w/.test(term.slice(end - 1, end + 1)))
          strange.add(prefix)
      }
    }
  }
  // The meaning of each term so far; undefined if there are several.
  const agreed = new Map<string, string | undefined>()
  return packs.map((pack) =>
    pack.terms.map((term, entry) => {
      const meaning = pack.meanings[entry]
      const clashes = agreed.has(term) && agreed.get(term) !== meaning
      agreed.set(term, clashes ? undefined : meaning)
      return clashes || strange.has(term)
    }),
  )
}
