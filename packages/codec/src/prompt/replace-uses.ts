import type { Matcher } from '../decode/create-matcher.ts'
import { matchTerm } from '../decode/match-term.ts'

/** Writes something else for each use of a term: what `replace` gives for its entry, with `after` as in `matchTerm`. */
export function replaceUses(
  text: string,
  { trie, first }: Matcher,
  terms: readonly string[],
  replace: (entry: number) => string,
  after = 0,
): string {
  let output = ''
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const node = first[text.charCodeAt(at)]!
    const found = node && matchTerm(trie, node, text, at, after, true)
    if (found > 0) {
      output += text.slice(from, at) + replace(found - 1)
      from = at + terms[found - 1]!.length
      at = from - 1
    }
  }
  return output + text.slice(from)
}
