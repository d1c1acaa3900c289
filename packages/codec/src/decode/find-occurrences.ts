import type { RosettaEntry } from '../types.ts'
import { createExpander } from './create-expander.ts'
import { createUseFinder, type Occurrence } from './map-uses.ts'

export type { Occurrence }

/** Finds every use of a header's terms in content, in order. */
export function findOccurrences(content: string, entries: readonly RosettaEntry[]): Occurrence[] {
  return createUseFinder(entries)(content, Infinity)
}

/** Returns the full expansion of each term of a header, with references to other terms resolved. */
export function resolveExpansions(rosetta: string): readonly string[] {
  return createExpander(rosetta).expansions.slice(1)
}

/** Returns `at`, or the offset before it if `at` is inside a surrogate pair. */
export function findCutOffset(text: string, at: number): number {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 ? at - 1 : at
}
