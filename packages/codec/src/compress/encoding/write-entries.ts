import { escapeExpansion } from '../cost/header-cost.ts'
import { textOf } from '../candidates/build-phrase-set.ts'
import { type PhraseSet, restrictSet, type RestrictedSet } from '../candidates/phrase-set.ts'
import type { SchemePlan } from '../schemes.ts'
import type { Units } from '../text/lex-units.ts'
import type { Selection } from '../selection/settle-entries.ts'
import type { CompressionEntry } from '../types.ts'

/** The text whose entries are written. */
export interface EntrySource {
  readonly units: Units
  readonly set: PhraseSet
  readonly plan: SchemePlan
  /** Terms that the author fixed, by phrase. */
  readonly pins: ReadonlyMap<number, string>
  /** Counts short strings. */
  readonly tally: (text: string) => number
}

/**
 * Writes the entries of a selection. Under a nesting scheme longer expansions come first and use the terms of shorter
 * ones (SPEC.md, nesting) where that takes fewer tokens; what a reference saves counts for the entry referred to.
 */
export function writeEntries(
  source: EntrySource,
  { slots, gross }: Selection,
  terms: ReadonlyMap<number, string>,
): CompressionEntry[] {
  const { set, plan, pins, tally } = source
  const uses = new Map<number, number>()
  for (const slot of slots) uses.set(set.slotPhrase[slot]!, (uses.get(set.slotPhrase[slot]!) ?? 0) + 1)
  const order = [...uses.keys()]
  if (plan.nests) order.sort((a, b) => set.length[b]! - set.length[a]! || a - b)
  const dictionary = new Uint8Array(set.count)
  if (plan.nests) for (const phrase of order) dictionary[phrase] = pins.has(phrase) ? 0 : 1
  const part = restrictSet(set, dictionary)
  const credits = new Map<number, number>()
  const references = new Map<number, number>()
  const written = order.map((phrase) => {
    const plain = textOf(source, phrase)
    const term = terms.get(phrase)!
    const count = (expansion: string): number => tally(`|${term}=${escapeExpansion(expansion)}|`) - 1
    const header = count(plain)
    const inner = plan.nests ? findInner(part, set.sample[phrase]!, set.length[phrase]!) : []
    if (inner.length === 0) return { phrase, term, expansion: plain, header }
    const nested = writeNested(source, phrase, part, inner, terms)
    const saved = header - count(nested)
    if (saved <= 0) return { phrase, term, expansion: plain, header }
    for (const slot of inner) {
      const other = part.phraseOf[part.slotPhrase[slot]!]!
      credits.set(other, (credits.get(other) ?? 0) + saved / inner.length)
      references.set(other, (references.get(other) ?? 0) + 1)
    }
    return { phrase, term, expansion: nested, header }
  })
  return written.map(({ phrase, term, expansion, header }) => {
    const saved = gross.get(phrase)! + (credits.get(phrase) ?? 0)
    const counts = { uses: uses.get(phrase)!, references: references.get(phrase) ?? 0 }
    return { term, expansion, ...counts, gross: saved, header, net: saved - header }
  })
}

function writeNested(
  { units }: EntrySource,
  phrase: number,
  part: RestrictedSet,
  inner: readonly number[],
  terms: ReadonlyMap<number, string>,
): string {
  const place = part.phraseOf.indexOf(phrase)
  let at = part.sample[place]!
  const end = at + part.length[place]!
  let expansion = ''
  for (const slot of inner) {
    const within = part.slotPhrase[slot]!
    const begin = part.slotStart[slot]!
    expansion += units.text.slice(units.starts[at], units.starts[begin]) + terms.get(part.phraseOf[within]!)!
    at = begin + part.length[within]!
  }
  return expansion + units.text.slice(units.starts[at], units.starts[end])
}

/** The slots of shorter phrases that save most inside `length` units from `begin` on, from left to right. */
function findInner(part: RestrictedSet, begin: number, length: number): number[] {
  const { firstByEnd, slotStart, slotSaved } = part
  const reach = new Float64Array(length + 1)
  const choice = new Int32Array(length + 1).fill(-1)
  for (let size = 1; size <= length; size++) {
    reach[size] = reach[size - 1]!
    for (let slot = firstByEnd[begin + size]!; slot < firstByEnd[begin + size + 1]!; slot++) {
      const from = slotStart[slot]! - begin
      if (from < 0 || (from === 0 && size === length)) continue
      const value = reach[from]! + slotSaved[slot]!
      if (value <= reach[size]!) continue
      reach[size] = value
      choice[size] = slot
    }
  }
  const slots: number[] = []
  for (let size = length; size > 0;) {
    const slot = choice[size]!
    if (slot >= 0) slots.push(slot)
    size = slot < 0 ? size - 1 : slotStart[slot]! - begin
  }
  return slots.reverse()
}
