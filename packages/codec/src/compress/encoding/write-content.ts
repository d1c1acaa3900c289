import type { PreparedText } from '../prepare-text.ts'
import { isWordCodePoint } from '../../decode/word-edge.ts'
import { type Units, codePointBefore } from '../text/lex-units.ts'
import {
  type CandidateSet,
  restrictSet,
  type RestrictedSet,
  readCandidateText,
} from '../candidates/candidate-set.ts'
import { scanParts, splitParts } from '../text/join-texts.ts'
import type { Selection } from '../selection/prune-entries.ts'
import { compareStructure } from '../../markdown/line-signature.ts'
import type { LineTable } from '../../markdown/line-table.ts'
import { escapeExpansion } from '../cost/header-costs.ts'
import type { CompressionEntry } from '../types.ts'

export interface Written {
  readonly content: string
  readonly offsets: Int32Array
}

export function writeContent(
  units: Units,
  set: CandidateSet,
  occurrences: Int32Array,
  terms: ReadonlyMap<number, string>,
): Written {
  const parts: string[] = []
  const offsets = new Int32Array(occurrences.length)
  let from = 0
  let length = 0
  for (const [index, occurrence] of occurrences.entries()) {
    const term = terms.get(set.occurrenceCandidate[occurrence]!)!
    const to = units.starts[set.occurrenceStart[occurrence]!]!
    offsets[index] = length + to - from
    length += to - from + term.length
    parts.push(units.text.slice(from, to), term)
    from = units.starts[set.occurrenceEnd[occurrence]!]!
  }
  parts.push(units.text.slice(from))
  return { content: parts.join(''), offsets }
}

/** Occurrences whose term touches word characters, so that it would not be recognized. */
function findMisreadOccurrences(
  written: Written,
  set: CandidateSet,
  occurrences: Int32Array,
  terms: ReadonlyMap<number, string>,
): number[] {
  const { content, offsets } = written
  const broken: number[] = []
  for (const [index, occurrence] of occurrences.entries()) {
    const term = terms.get(set.occurrenceCandidate[occurrence]!)!
    const at = offsets[index]!
    const end = at + term.length
    const touchesBefore =
      at > 0 && isWordCodePoint(term.codePointAt(0)!) && isWordCodePoint(codePointBefore(content, at))
    const touchesAfter =
      end < content.length &&
      isWordCodePoint(codePointBefore(term, term.length)) &&
      isWordCodePoint(content.codePointAt(end)!)
    if (touchesBefore || touchesAfter) broken.push(occurrence)
  }
  return broken
}

/** Occurrences whose term is not recognized, or changes the structure of a line. */
export function findBrokenOccurrences(
  { set, units, lines, separator }: PreparedText,
  { occurrences }: Selection,
  terms: ReadonlyMap<number, string>,
  written: Written,
): number[] {
  const broken = findMisreadOccurrences(written, set, occurrences, terms)
  if (broken.length > 0 || lines === undefined) return broken
  const { content } = written
  const changed = new Set(compareStructure(lines, scanParts(splitParts(content, separator), content)))
  if (changed.size === 0) return broken
  return listOnLines(lines)

  function listOnLines(table: LineTable): number[] {
    const found: number[] = []
    let line = 0
    for (const occurrence of occurrences) {
      const from = units.starts[set.occurrenceStart[occurrence]!]!
      while (line + 1 < table.count && table.starts[line + 1]! <= from) line++
      const isHit = changed.has(line)
      if (isHit && units.starts[set.occurrenceEnd[occurrence]!]! > from) found.push(occurrence)
    }
    return found.length > 0 ? found : [...occurrences]
  }
}

/**
 * Writes the entries of a selection. In a nesting scheme, longer expansions come first and use the
 * terms of shorter ones (SPEC.md, nesting) if that saves tokens, which are credited to the entries
 * they refer to.
 */
export function writeEntries(
  source: PreparedText,
  { occurrences, gross }: Selection,
  terms: ReadonlyMap<number, string>,
): CompressionEntry[] {
  const { set, plan, pins, countCached } = source
  const uses = new Map<number, number>()
  for (const occurrence of occurrences)
    uses.set(set.occurrenceCandidate[occurrence]!, (uses.get(set.occurrenceCandidate[occurrence]!) ?? 0) + 1)
  const order = [...uses.keys()]
  if (plan.nests) order.sort((a, b) => set.length[b]! - set.length[a]! || a - b)
  const dictionary = new Uint8Array(set.count)
  if (plan.nests) for (const candidate of order) dictionary[candidate] = pins.has(candidate) ? 0 : 1
  const part = restrictSet(set, dictionary)
  const credits = new Map<number, number>()
  const references = new Map<number, number>()
  const written = order.map((candidate) => {
    const plain = readCandidateText(source, candidate)
    const term = terms.get(candidate)!
    const count = (expansion: string): number => countCached(`|${term}=${escapeExpansion(expansion)}|`) - 1
    const header = count(plain)
    const inner = plan.nests ? findInnerOccurrences(part, set.sample[candidate]!, set.length[candidate]!) : []
    if (inner.length === 0) return { candidate, term, expansion: plain, header }
    const nested = writeNested(source, candidate, part, inner, terms)
    const saved = header - count(nested)
    if (saved <= 0) return { candidate, term, expansion: plain, header }
    for (const occurrence of inner) {
      const other = part.originalCandidate[part.occurrenceCandidate[occurrence]!]!
      credits.set(other, (credits.get(other) ?? 0) + saved / inner.length)
      references.set(other, (references.get(other) ?? 0) + 1)
    }
    return { candidate, term, expansion: nested, header }
  })
  return written.map(({ candidate, term, expansion, header }) => {
    const saved = gross.get(candidate)! + (credits.get(candidate) ?? 0)
    const counts = { uses: uses.get(candidate)!, references: references.get(candidate) ?? 0 }
    return { term, expansion, ...counts, gross: saved, header, net: saved - header }
  })
}

function writeNested(
  { units }: PreparedText,
  candidate: number,
  part: RestrictedSet,
  inner: readonly number[],
  terms: ReadonlyMap<number, string>,
): string {
  const index = part.originalCandidate.indexOf(candidate)
  let at = part.sample[index]!
  const end = at + part.length[index]!
  let expansion = ''
  for (const occurrence of inner) {
    const within = part.occurrenceCandidate[occurrence]!
    const begin = part.occurrenceStart[occurrence]!
    expansion +=
      units.text.slice(units.starts[at], units.starts[begin]) + terms.get(part.originalCandidate[within]!)!
    at = begin + part.length[within]!
  }
  return expansion + units.text.slice(units.starts[at], units.starts[end])
}

/** The shorter candidates that save most in `length` units: weighted interval scheduling. */
function findInnerOccurrences(part: RestrictedSet, begin: number, length: number): number[] {
  const { firstByEnd, occurrenceStart, occurrenceSaved } = part
  const reach = new Float64Array(length + 1)
  const choice = new Int32Array(length + 1).fill(-1)
  for (let size = 1; size <= length; size++) {
    reach[size] = reach[size - 1]!
    for (
      let occurrence = firstByEnd[begin + size]!;
      occurrence < firstByEnd[begin + size + 1]!;
      occurrence++
    ) {
      const from = occurrenceStart[occurrence]! - begin
      if (from < 0 || (from === 0 && size === length)) continue
      const value = reach[from]! + occurrenceSaved[occurrence]!
      if (value <= reach[size]!) continue
      reach[size] = value
      choice[size] = occurrence
    }
  }
  const occurrences: number[] = []
  for (let size = length; size > 0;) {
    const occurrence = choice[size]!
    if (occurrence >= 0) occurrences.push(occurrence)
    size = occurrence < 0 ? size - 1 : occurrenceStart[occurrence]! - begin
  }
  return occurrences.reverse()
}
