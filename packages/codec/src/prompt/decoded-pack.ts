import { createExpander } from '../decode/create-expander.ts'
import { createMatcher, type Matcher, matchTerm } from '../decode/match-term.ts'
import { readHeader } from '../rosetta/parse-rosetta.ts'
import type { RosettaEntry } from '../types.ts'

/** A pack, decoded, that is to share a header with others. */
export interface DecodedPack {
  /** The decoded content. */
  readonly source: string
  readonly content: string
  /** The entries of its header, nesting not resolved. */
  readonly entries: readonly RosettaEntry[]
  readonly terms: readonly string[]
  readonly matcher: Matcher
  /** The index of each term in `terms`. */
  readonly numbers: ReadonlyMap<string, number>
  /** The expansion of each term, nesting resolved. */
  readonly meanings: readonly string[]
  /** Content and expansions, joined by line ends: the texts in which a term of another pack must not match. */
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

/** Returns the same pack without a header. */
export function dropTerms({ source }: DecodedPack): DecodedPack {
  return decodePack(source, '[DECODE]')
}

/** Returns the terms of the pack that match somewhere in `text`, and the terms that are prefixes of those. */
export function findTerms({ terms, matcher, numbers }: DecodedPack, text: string): Set<string> {
  const found = new Set<string>()
  for (let at = 0; at < text.length; at++) {
    const node = matcher.first[text.charCodeAt(at)]!
    const number = node && matchTerm(matcher.trie, node, text, at, 0, true)
    const term = number > 0 ? terms[number - 1]! : ''
    for (let end = term.length; end; end--) {
      // No term ends inside a word.
      if (/\w\w/.test(term.slice(end - 1, end + 1))) continue
      if (numbers.has(term.slice(0, end))) found.add(term.slice(0, end))
    }
  }
  return found
}
