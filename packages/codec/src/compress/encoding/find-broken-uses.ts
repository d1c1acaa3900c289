import { scanParts, splitParts } from '../text/join-texts.ts'
import type { PhraseSet } from '../candidates/phrase-set.ts'
import type { Units } from '../text/lex-units.ts'
import type { Selection } from '../selection/settle-entries.ts'
import { compareStructure } from '../../markdown/compare-structure.ts'
import type { LineTable } from '../../markdown/line-table.ts'
import { findBrokenSlots, type Written } from './write-content.ts'

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
