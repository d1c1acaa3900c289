import { assignSymbols, type PhraseUse } from './assign-symbols.ts'
import { CharKind } from '../text/char-kind.ts'
import { claimSymbols } from './claim-symbols.ts'
import { makeAcronyms } from './make-acronyms.ts'
import type { PreparedText } from '../prepare-text.ts'
import type { Selection } from '../selection/settle-entries.ts'
import { describePlace, type TermPlace } from './symbol-merges.ts'

/** Gives each selected phrase a term of its own that the text does not hold; phrases for which none is left are missing. */
export function giveTerms(prepared: PreparedText, { slots, gross }: Selection): Map<number, string> {
  const { pins, plan, symbols, acronyms } = prepared
  const open = countUses(prepared, slots).filter(({ phrase }) => !pins.has(phrase))
  const pinned = [...pins].filter(([phrase]) => gross.has(phrase))
  const reserved = new Set(pins.values())
  if (plan.readable) {
    const taken = new Set(Array.from(reserved, (pin) => pin.toUpperCase()))
    const free = acronyms.filter((acronym) => !taken.has(acronym))
    const given = makeAcronyms(phraseTexts(prepared, open), free)
    return new Map([...pinned, ...given])
  }
  const free = symbols.filter(({ term }) => ![...reserved].some((pin) => pin.includes(term)))
  return new Map([...pinned, ...assignSymbols(open, free, claimSymbols(open, free, prepared))])
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
  const { text, starts, kinds } = units
  const uses = new Map<
    number,
    { phrase: number; uses: number; spaces: number; places: Map<TermPlace, number> }
  >()
  const places = new Map<string, TermPlace>()
  for (const [at, slot] of slots.entries()) {
    const phrase = set.slotPhrase[slot]!
    const use = uses.get(phrase) ?? { phrase, uses: 0, spaces: 0, places: new Map() }
    const begin = set.slotStart[slot]!
    use.uses++
    if (begin > 0 && kinds[begin - 1] === CharKind.space) use.spaces++
    const from = at > 0 ? starts[set.slotEnd[slots[at - 1]!]!]! : 0
    const to = at + 1 < slots.length ? starts[set.slotStart[slots[at + 1]!]!]! : text.length
    const found = describePlace(text, starts[begin]!, starts[set.slotEnd[slot]!]!, from, to)
    const key = `${found.left}\0${found.right}`
    const place = places.get(key) ?? found
    places.set(key, place)
    use.places.set(place, (use.places.get(place) ?? 0) + 1)
    uses.set(phrase, use)
  }
  return [...uses.values()]
}
