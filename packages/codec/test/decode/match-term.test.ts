import { expect, it } from 'vitest'
import { createTrie, matchTerm } from '../../src/decode/match-term.ts'

// A server has a decoder for each open stream.
it.each([
  [['知'], 1040],
  [['知', '識'], 1040],
  [['KP', 'MSAC'], 1060],
  [['ア', '😀', 'é', 'KP'], 1060],
  [Array.from({ length: 800 }, (_, at) => String.fromCodePoint(0x4e00 + at * 26)), 4300],
])('the table of %j has at most %d numbers, and finds each term', (terms, most) => {
  const trie = createTrie(['', ...terms])
  expect(trie.length).toBeLessThanOrEqual(most)
  const found = terms.map((term) => matchTerm(trie, `. ${term}.`, 2, 0, true))
  expect(found).toEqual(terms.map((_, at) => at + 1))
  expect(['ē', '\u0000', '\uffff'].map((text) => matchTerm(trie, text, 0, 0, true))).toEqual([-1, -1, -1])
})
