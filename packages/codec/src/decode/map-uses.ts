import { findFirst } from '../binary-search.ts'
import { MAX_OUTPUT } from '../rosetta/grammar.ts'
import { parseRosetta } from '../rosetta/parse-rosetta.ts'
import type { RosettaEntry } from '../types.ts'
import { createExpander } from './create-expander.ts'
import { createTrie, matchTerm } from './match-term.ts'

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

/**
 * Maps `content` up to the offset `limit` to its decoded text.
 * @throws CodecError for an invalid header
 */
export function mapUses(content: string, rosetta: string, limit: number): UseMap {
  const { entries } = parseRosetta(rosetta)
  const { expansions } = createExpander({ entries }, MAX_OUTPUT)
  const found = createUseFinder(entries)(content, limit)
  const uses: number[] = []
  let contentEnd = 0
  let bodyEnd = 0
  for (const { start, entry } of found) {
    const bodyStart = bodyEnd + start - contentEnd
    contentEnd = start + entries[entry]!.term.length
    bodyEnd = bodyStart + expansions[entry + 1]!.length
    uses.push(contentEnd, bodyStart, bodyEnd, entry)
  }
  return createUseMap(uses, bodyEnd + Math.max(0, limit - contentEnd))
}

export interface Use {
  readonly start: number
  readonly entry: number
}

/**
 * Finds the uses in a text that begin before the offset `limit`. With `after`, only uses of entries
 * after that index: the text is the expansion of that entry (SPEC.md §5.1).
 */
export type UseFinder = (text: string, limit: number, after?: number) => Use[]

export function createUseFinder(entries: readonly RosettaEntry[]): UseFinder {
  const trie = createTrie(['', ...entries.map(({ term }) => term)])
  return (text, limit, after = -1) => {
    const uses: Use[] = []
    const end = Math.min(limit, text.length)
    for (let at = 0; at < end;) {
      const number = matchTerm(trie, text, at, after + 1, true)
      if (number > 0) uses.push({ start: at, entry: number - 1 })
      at += number > 0 ? entries[number - 1]!.term.length : 1
    }
    return uses
  }
}

/** Numbers for each use in the list of {@link createUseMap}. */
const WIDTH = 4

/**
 * @param uses four numbers for each use: its end in the content, its start and its end in the body,
 *   its entry
 */
function createUseMap(uses: readonly number[], bodyEnd: number): UseMap {
  /** The last use that begins before a body offset; negative if there is none. */
  const findUse = (bodyOffset: number): number =>
    WIDTH * (findFirst(uses.length / WIDTH, (use) => uses[WIDTH * use + 1]! >= bodyOffset) - 1)
  return {
    bodyEnd,
    toContent(bodyOffset) {
      const use = findUse(bodyOffset)
      if (use < 0) return bodyOffset
      const beyond = bodyOffset - uses[use + 2]!
      return beyond < 0 ? undefined : uses[use]! + beyond
    },
    skipExpansion(bodyOffset) {
      const use = findUse(bodyOffset)
      return use < 0 ? bodyOffset : Math.max(bodyOffset, uses[use + 2]!)
    },
    findExpansionStart(bodyOffset) {
      const use = findUse(bodyOffset)
      return use < 0 || uses[use + 2]! <= bodyOffset ? bodyOffset : uses[use + 1]!
    },
    listEntries(from, to) {
      const entries = new Set<number>()
      for (let use = findUse(from) + WIDTH; use < uses.length && uses[use + 2]! <= to; use += WIDTH)
        entries.add(uses[use + 3]!)
      return entries
    },
  }
}
