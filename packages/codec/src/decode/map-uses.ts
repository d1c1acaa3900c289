import { findFirst } from '../binary-search.ts'
import { MAX_OUTPUT } from '../rosetta/grammar.ts'
import { parseRosetta } from '../rosetta/parse-rosetta.ts'
import type { RosettaEntry } from '../types.ts'
import { createExpander } from './create-expander.ts'
import { createTrie, matchTerm, skip } from './match-term.ts'

/** Maps offsets of a body to its content, unit by unit, and a use to its expansion. */
export interface UseMap {
  readonly bodyEnd: number
  /** Undefined inside an expansion, where no cut is possible. */
  toContent(bodyOffset: number): number | undefined
  /** The end of the expansion around a body offset; the offset itself if there is none. */
  skipExpansion(bodyOffset: number): number
  /** The start of the expansion around a body offset; the offset itself if there is none. */
  findExpansionStart(bodyOffset: number): number
  /** Indices of the entries whose expansions lie wholly between two body offsets. */
  listEntries(bodyStart: number, bodyEnd: number): Set<number>
}

/** @throws CodecError for an invalid header */
export function mapUses(content: string, rosetta: string, limit: number): UseMap {
  const { entries } = parseRosetta(rosetta)
  const { expansions } = createExpander({ entries }, MAX_OUTPUT)
  let contentEnd = 0
  let bodyEnd = 0
  const uses = createUseFinder(entries)(content, limit).map(({ entry, start, end }) => {
    const bodyStart = bodyEnd + start - contentEnd
    contentEnd = end
    bodyEnd = bodyStart + expansions[entry + 1]!.length
    return { entry, contentEnd, bodyStart, bodyEnd }
  })
  const countBefore = (bodyOffset: number): number =>
    findFirst(uses.length, (use) => uses[use]!.bodyStart >= bodyOffset)
  return {
    bodyEnd: bodyEnd + Math.max(0, limit - contentEnd),
    toContent(bodyOffset) {
      const use = uses[countBefore(bodyOffset) - 1]
      if (use === undefined) return bodyOffset
      return bodyOffset < use.bodyEnd ? undefined : use.contentEnd + bodyOffset - use.bodyEnd
    },
    skipExpansion: (bodyOffset) => Math.max(bodyOffset, uses[countBefore(bodyOffset) - 1]?.bodyEnd ?? 0),
    findExpansionStart(bodyOffset) {
      const use = uses[countBefore(bodyOffset) - 1]
      return use !== undefined && use.bodyEnd > bodyOffset ? use.bodyStart : bodyOffset
    },
    listEntries(from, to) {
      const inside = new Set<number>()
      for (let use = countBefore(from); use < uses.length && uses[use]!.bodyEnd <= to; use++)
        inside.add(uses[use]!.entry)
      return inside
    },
  }
}

/** Where decode replaces a term; offsets are in UTF-16 units of the content. */
export interface Occurrence {
  readonly entry: number
  readonly start: number
  readonly end: number
}

/**
 * Finds the uses in a text that begin before the offset `limit`. With `after`, only uses of entries
 * after that index: the text is the expansion of that entry (SPEC.md §5.1).
 */
export type UseFinder = (text: string, limit: number, after?: number) => Occurrence[]

export function createUseFinder(entries: readonly RosettaEntry[]): UseFinder {
  const trie = createTrie(['', ...entries.map(({ term }) => term)])
  return (text, limit, after = -1) => {
    const uses: Occurrence[] = []
    const last = Math.min(limit, text.length)
    for (let at = skip(text, 0, trie); at < last; at = skip(text, at, trie)) {
      const entry = matchTerm(trie, text, at, after + 1, true) - 1
      const end = entry < 0 ? at + 1 : at + entries[entry]!.term.length
      if (entry >= 0) uses.push({ entry, start: at, end })
      at = end
    }
    return uses
  }
}
