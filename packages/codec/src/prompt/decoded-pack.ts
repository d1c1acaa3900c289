import { createExpander } from '../decode/create-expander.ts'
import { createMatcher, type Matcher, matchTerm } from '../decode/match-term.ts'
import { readHeader } from '../rosetta/parse-rosetta.ts'
import type { RosettaEntry } from '../types.ts'

/** A pack on its way into a common header. */
export interface DecodedPack {
  /** What the pack decodes to. */
  readonly source: string
  readonly content: string
  /** Its header's pairs as written. */
  readonly entries: readonly RosettaEntry[]
  readonly terms: readonly string[]
  readonly matcher: Matcher
  /** The place of each term in `terms`. */
  readonly numbers: ReadonlyMap<string, number>
  /** What each term stands for, nesting resolved. */
  readonly meanings: readonly string[]
  /** All that a foreign term could spoil: content and expansions, a line end between them. */
  readonly text: string
}

export function decodePack(content: string, rosetta: string): DecodedPack {
  const entries = readHeader(rosetta)
  const terms = entries.map(({ term }) => term)
  const expander = createExpander(rosetta, Infinity)
  return {
    entries,
    terms,
    content,
    source: expander.expand(content, true),
    matcher: createMatcher(['', ...terms]),
    numbers: new Map(terms.map((term, number) => [term, number])),
    meanings: expander.expansions.slice(1),
    text: [content, ...entries.map(({ expansion }) => expansion)].join('\n'),
  }
}

/** The same pack without a header. */
export function dropTerms({ source }: DecodedPack): DecodedPack {
  return decodePack(source, '[DECODE]')
}

/** The terms of `pack` that match somewhere in `text`, and the terms that those begin with. */
export function findTerms({ terms, matcher, numbers }: DecodedPack, text: string): Set<string> {
  const found = new Set<string>()
  for (let at = 0; at < text.length; at++) {
    const node = matcher.first[text.charCodeAt(at)]!
    const number = node && matchTerm(matcher.trie, node, text, at, 0, true)
    const term = number > 0 ? terms[number - 1]! : ''
    for (let end = term.length; end; end--) {
      // Inside a word no term ends.
      if (/\w\w/.test(term.slice(end - 1, end + 1))) continue
      if (numbers.has(term.slice(0, end))) found.add(term.slice(0, end))
    }
  }
  return found
}
