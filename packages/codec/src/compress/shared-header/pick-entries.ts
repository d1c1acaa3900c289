import { escapeExpansion } from '../cost/header-cost.ts'
import type { CompressionEntry } from '../types.ts'

/** How often a term is used, and what that saves in tokens. */
export interface TermUsage {
  readonly uses: number
  readonly gross: number
}

/** Picks the entries that a text needs, in their order: those it uses and those that these refer to. */
export type EntryPicker = (usages: ReadonlyMap<string, TermUsage>) => CompressionEntry[]

/** Creates the picker from a header whose entries refer to later ones only (SPEC.md, nesting). */
export function createEntryPicker(
  entries: readonly CompressionEntry[],
  tally: (text: string) => number,
): EntryPicker {
  const references = listReferences(entries)
  // What one reference saves: the entry without them takes `header`.
  const saved = entries.map(({ term, expansion, header }, place) => {
    const count = references[place]!.length
    return count === 0 ? 0 : (header - tally(`|${term}=${escapeExpansion(expansion)}|`) + 1) / count
  })
  return (usages) => {
    const counts = new Int32Array(entries.length)
    const credits = new Float64Array(entries.length)
    const picked: CompressionEntry[] = []
    for (const [place, entry] of entries.entries()) {
      const usage = usages.get(entry.term)
      if (usage === undefined && counts[place] === 0) continue
      for (const other of references[place]!) {
        counts[other]!++
        credits[other]! += saved[place]!
      }
      const gross = (usage?.gross ?? 0) + credits[place]!
      const net = gross - entry.header
      picked.push({ ...entry, uses: usage?.uses ?? 0, references: counts[place]!, gross, net })
    }
    return picked
  }
}

/** For each entry the places of the entries that its expansion refers to: terms stand in expansions as nothing else. */
function listReferences(entries: readonly CompressionEntry[]): number[][] {
  const places = new Map<string, number>()
  for (const [place, { term, references }] of entries.entries()) if (references > 0) places.set(term, place)
  const lengths = [...new Set(Array.from(places.keys(), (term) => term.length))].sort((a, b) => b - a)
  return entries.map(({ expansion }, place) => {
    const found: number[] = []
    for (let at = 0; at < expansion.length; at++) {
      const length = lengths.find((size) => places.get(expansion.slice(at, at + size))! > place)
      if (length === undefined) continue
      found.push(places.get(expansion.slice(at, at + length))!)
      at += length - 1
    }
    return found
  })
}
