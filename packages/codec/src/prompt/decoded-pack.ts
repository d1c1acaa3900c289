import { createExpander } from '../decode/create-expander.ts'
import { matchTerm } from '../decode/match-term.ts'
import { readHeader } from '../rosetta/parse-rosetta.ts'

/** A text as literal parts and uses of terms, each use as the index of its entry. */
export type DividedText = readonly (string | number)[]

/** A pack, decoded, that is to share a header with others. */
export interface DecodedPack {
  /** The decoded content. */
  readonly source: string
  readonly content: DividedText
  readonly terms: readonly string[]
  /** The expansion of each term, nesting not resolved. */
  readonly expansions: readonly DividedText[]
  /** The expansion of each term, nesting resolved. */
  readonly meanings: readonly string[]
  /**
   * Content and expansions, joined by line ends: the texts in which a term of another pack must not
   * match.
   */
  readonly text: string
}

/**
 * @throws CodecError for a pack that cannot be decoded; `no_marker` for a header that is not a
 *   string
 */
export function decodePack(content: string, rosetta: string): DecodedPack {
  if (typeof content !== 'string') throw new TypeError('content is not a string')
  const entries = readHeader(typeof rosetta === 'string' ? rosetta : '')
  const terms = entries.map(({ term }) => term)
  const { expand, expansions, trie } = createExpander({ entries })
  const source = expand(content, true)

  /** @param after as in `matchTerm` */
  function divide(text: string, after: number): DividedText {
    const parts: (string | number)[] = []
    let from = 0
    for (let at = 0; at < text.length; at++) {
      const found = matchTerm(trie, text, at, after, true)
      if (found > 0) {
        parts.push(text.slice(from, at), found - 1)
        from = at + terms[found - 1]!.length
        at = from - 1
      }
    }
    parts.push(text.slice(from))
    return parts
  }

  return {
    source,
    content: divide(content, 0),
    terms,
    expansions: entries.map(({ expansion }, entry) => divide(expansion, entry + 1)),
    meanings: expansions.slice(1),
    text: [content, ...entries.map(({ expansion }) => expansion)].join('\n'),
  }
}

export function expandPack(source: string): DecodedPack {
  return { source, content: [source], terms: [], expansions: [], meanings: [], text: source }
}
