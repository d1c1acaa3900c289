import { isWordCodePoint } from '../../decode/word-edge.ts'
import type { Units } from '../text/lex-units.ts'
import type { CandidateSet } from '../candidates/candidate-set.ts'
import { codePointBefore } from '../text/char-kind.ts'
import { scanParts, splitParts } from '../text/join-texts.ts'
import type { Selection } from '../selection/prune-entries.ts'
import { compareStructure } from '../../markdown/line-signature.ts'
import type { LineTable } from '../../markdown/line-table.ts'

/** The content, and the offset of each occurrence's term in it. */
export interface Written {
  readonly content: string
  readonly offsets: Int32Array
}

/** Writes the text with each occurrence replaced by its term. */
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

/**
 * Finds occurrences whose term would not be recognized, because a word character of the content touches one of the
 * term.
 */
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

/** The text that a content is written from. */
export interface ContentSource {
  readonly units: Units
  readonly set: CandidateSet
  /** Lines of the text, if the scheme keeps them. */
  readonly lines: LineTable | undefined
  readonly separator?: string | undefined
}

/**
 * Finds occurrences that break the content: their term would not be recognized, or they change the structure of a
 * line.
 */
export function findBrokenOccurrences(
  { set, units, lines, separator }: ContentSource,
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
