import { isWordCodePoint } from '../../decode/word-edge.ts'
import type { Units } from '../text/lex-units.ts'
import type { PhraseSet } from '../candidates/phrase-set.ts'
import { lastCodePoint } from '../text/char-kind.ts'
import { scanParts, splitParts } from '../text/join-texts.ts'
import type { Selection } from '../selection/settle-entries.ts'
import { compareStructure } from '../../markdown/compare-structure.ts'
import type { LineTable } from '../../markdown/line-table.ts'

/** Content, and where each used slot's term stands in it. */
export interface Written {
  readonly content: string
  readonly offsets: Int32Array
}

/** Writes the text with the term of each slot in its place. */
export function writeContent(
  units: Units,
  set: PhraseSet,
  slots: Int32Array,
  terms: ReadonlyMap<number, string>,
): Written {
  const parts: string[] = []
  const offsets = new Int32Array(slots.length)
  let from = 0
  let length = 0
  for (const [place, slot] of slots.entries()) {
    const term = terms.get(set.slotPhrase[slot]!)!
    const to = units.starts[set.slotStart[slot]!]!
    offsets[place] = length + to - from
    length += to - from + term.length
    parts.push(units.text.slice(from, to), term)
    from = units.starts[set.slotEnd[slot]!]!
  }
  parts.push(units.text.slice(from))
  return { content: parts.join(''), offsets }
}

/** Slots whose term would not be read back: a word character of the content touches one of its own. */
export function findBrokenSlots(
  written: Written,
  set: PhraseSet,
  slots: Int32Array,
  terms: ReadonlyMap<number, string>,
): number[] {
  const { content, offsets } = written
  const broken: number[] = []
  for (const [place, slot] of slots.entries()) {
    const term = terms.get(set.slotPhrase[slot]!)!
    const at = offsets[place]!
    const end = at + term.length
    const touchesBefore =
      at > 0 && isWordCodePoint(term.codePointAt(0)!) && isWordCodePoint(lastCodePoint(content, at))
    const touchesAfter =
      end < content.length &&
      isWordCodePoint(lastCodePoint(term, term.length)) &&
      isWordCodePoint(content.codePointAt(end)!)
    if (touchesBefore || touchesAfter) broken.push(slot)
  }
  return broken
}

/** The text that a content stands for. */
export interface ContentSource {
  readonly units: Units
  readonly set: PhraseSet
  /** Lines of the text, where the scheme keeps them. */
  readonly lines: LineTable | undefined
  readonly separator?: string | undefined
}

/** Slots whose use breaks the content: a term that would not be read back, or a line whose structure it changes. */
export function findBrokenUses(
  { set, units, lines, separator }: ContentSource,
  { slots }: Selection,
  terms: ReadonlyMap<number, string>,
  written: Written,
): number[] {
  const broken = findBrokenSlots(written, set, slots, terms)
  if (broken.length > 0 || lines === undefined) return broken
  const { content } = written
  const changed = new Set(compareStructure(lines, scanParts(splitParts(content, separator), content)))
  if (changed.size === 0) return broken
  return slotsOnLines(lines)

  function slotsOnLines(table: LineTable): number[] {
    const found: number[] = []
    let line = 0
    for (const slot of slots) {
      const from = units.starts[set.slotStart[slot]!]!
      while (line + 1 < table.count && table.starts[line + 1]! <= from) line++
      const isHit = changed.has(line)
      if (isHit && units.starts[set.slotEnd[slot]!]! > from) found.push(slot)
    }
    return found.length > 0 ? found : [...slots]
  }
}
