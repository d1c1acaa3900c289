import type { TextPart } from '../text/join-texts.ts'
import type { Units } from '../text/lex-units.ts'
import type { PhraseSet } from '../candidates/phrase-set.ts'

/** Part of an entry's cost that each text but one adds that may use it. */
const CHARGE = 0.2

/**
 * Raises the cost of phrases that several of `parts` may use: loaded together they pay for an entry once, but each one that
 * is loaded alone pays for it too. So entries are found that few texts use often rather than many texts once: much
 * better for texts alone, and hardly worse for all together.
 */
export function chargeTexts(set: PhraseSet, units: Units, parts: readonly TextPart[]): PhraseSet {
  const partOf = new Int32Array(units.count)
  for (let unit = 0, place = 0; unit < units.count; unit++) {
    while (place + 1 < parts.length && parts[place + 1]!.start <= units.starts[unit]!) place++
    partOf[unit] = place
  }
  const cost = set.cost.slice()
  for (let phrase = 0; phrase < set.count; phrase++) {
    let others = -1
    let last = -1
    for (let at = set.firstByPhrase[phrase]!; at < set.firstByPhrase[phrase + 1]!; at++) {
      const place = partOf[set.slotStart[set.slotsByPhrase[at]!]!]!
      if (place === last) continue
      last = place
      others++
    }
    if (others > 0) cost[phrase]! *= 1 + CHARGE * others
  }
  return { ...set, cost }
}
