import { assignSymbols, type PhraseUse } from './assign-symbols.ts'
import { CharKind } from './char-kind.ts'
import { listAcronyms, makeAcronyms } from './make-acronyms.ts'
import type { PreparedText } from './prepare-text.ts'
import type { Selection } from './settle-entries.ts'

/** Gives each selected phrase a term of its own that the text does not hold; phrases for which none is left are missing. */
export function giveTerms(prepared: PreparedText, { slots, gross }: Selection): Map<number, string> {
  const { pins, plan, symbols } = prepared
  const open = countUses(prepared, slots).filter(({ phrase }) => !pins.has(phrase))
  const pinned = [...pins].filter(([phrase]) => gross.has(phrase))
  const reserved = new Set(pins.values())
  const given = plan.readable
    ? makeAcronyms(phraseTexts(prepared, open), listFreeAcronyms(prepared, reserved))
    : assignSymbols(
        open,
        symbols.filter(({ term }) => ![...reserved].some((pin) => pin.includes(term))),
      )
  return new Map([...pinned, ...given])
}

/** The text that a phrase stands for. */
export function textOf({ set, units }: PreparedText, phrase: number): string {
  const begin = set.sample[phrase]!
  return units.text.slice(units.starts[begin], units.starts[begin + set.length[phrase]!])
}

function phraseTexts(prepared: PreparedText, uses: readonly PhraseUse[]): Map<number, string> {
  const order = uses.toSorted((a, b) => b.uses - a.uses || a.phrase - b.phrase)
  return new Map(order.map(({ phrase }) => [phrase, textOf(prepared, phrase)]))
}

function countUses({ set, units }: PreparedText, slots: Int32Array): PhraseUse[] {
  const uses = new Map<number, { -readonly [key in keyof PhraseUse]: PhraseUse[key] }>()
  for (const slot of slots) {
    const phrase = set.slotPhrase[slot]!
    const use = uses.get(phrase) ?? { phrase, uses: 0, spaces: 0, lineEnds: 0, paragraphEnds: 0 }
    const begin = set.slotStart[slot]!
    use.uses++
    if (begin > 0 && units.kinds[begin - 1] === CharKind.space) use.spaces++
    const end = units.starts[set.slotEnd[slot]!]!
    if (units.text[end] === '\n') {
      if (units.text[end + 1] === '\n') use.paragraphEnds++
      else use.lineEnds++
    }
    uses.set(phrase, use)
  }
  return [...uses.values()]
}

function listFreeAcronyms({ units, tokenizer }: PreparedText, reserved: ReadonlySet<string>): string[] {
  const present = new Set<string>()
  for (let unit = 0; unit < units.count; unit++) {
    const from = units.starts[unit]!
    const to = units.starts[unit + 1]!
    if ((units.kinds[unit]! & CharKind.word) !== 0 && to - from <= 3) {
      present.add(units.text.slice(from, to).toUpperCase())
    }
  }
  for (const term of reserved) present.add(term.toUpperCase())
  return listAcronyms(tokenizer).filter((acronym) => !present.has(acronym))
}
