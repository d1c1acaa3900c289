import type { RosettaEntry } from '../types.ts'
import { createExpander } from './create-expander.ts'
import { createUseFinder } from './map-uses.ts'

/**
 * A position in the content where decode replaces a term with its expansion; offsets in UTF-16
 * units of the content.
 */
export interface Occurrence {
  readonly entry: number
  readonly start: number
  readonly end: number
}

/** Finds every occurrence of a header's terms in content, in order. */
export function findOccurrences(content: string, entries: readonly RosettaEntry[]): Occurrence[] {
  const uses = createUseFinder(entries)(content, Infinity)
  return uses.map(({ entry, start }) => ({ entry, start, end: start + entries[entry]!.term.length }))
}

/** Returns the full expansion of each term of a header, with references to other terms resolved. */
export function resolveExpansions(rosetta: string): readonly string[] {
  return createExpander(rosetta).expansions.slice(1)
}

/** Returns `at`, or the offset before it if `at` is inside a surrogate pair. */
export function findCutOffset(text: string, at: number): number {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 ? at - 1 : at
}
