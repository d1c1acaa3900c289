import { assignSymbols, type PhraseUse } from './assign-symbols.ts'
import { CharKind } from '../text/char-kind.ts'
import { claimSymbols, type ClaimOptions } from './claim-symbols.ts'
import { makeAcronyms } from './make-acronyms.ts'
import type { SchemePlan } from '../schemes.ts'
import { textOf, type PhraseSet } from '../candidates/phrase-set.ts'
import type { Units } from '../text/lex-units.ts'
import type { TermSymbol } from './list-symbols.ts'
import type { Selection } from '../selection/settle-entries.ts'
import { describePlace, type TermPlace } from './symbol-merges.ts'

/** The text whose phrases get terms, and the terms that it leaves free. */
export interface TermOptions extends ClaimOptions {
  readonly units: Units
  readonly set: PhraseSet
  readonly plan: SchemePlan
  /** Terms that the author fixed, by phrase. */
  readonly pins: ReadonlyMap<number, string>
  /** Free symbols, the most readable first. */
  readonly symbols: readonly TermSymbol[]
  readonly acronyms: readonly string[]
}

/** Gives each selected phrase a term of its own that the text does not hold; phrases for which none is left are missing. */
export function giveTerms(options: TermOptions, { slots, gross }: Selection): Map<number, string> {
  const { pins, plan, symbols, acronyms } = options
  const open = countUses(options, slots).filter(({ phrase }) => !pins.has(phrase))
  const pinned = [...pins].filter(([phrase]) => gross.has(phrase))
  const reserved = new Set(pins.values())
  if (plan.readable) {
    const taken = new Set(Array.from(reserved, (pin) => pin.toUpperCase()))
    const free = acronyms.filter((acronym) => !taken.has(acronym))
    const given = makeAcronyms(phraseTexts(options, open), free)
    return new Map([...pinned, ...given])
  }
  const free = symbols.filter(({ term }) => ![...reserved].some((pin) => pin.includes(term)))
  return new Map([...pinned, ...assignSymbols(open, free, claimSymbols(open, free, options))])
}

function phraseTexts(options: TermOptions, uses: readonly PhraseUse[]): Map<number, string> {
  const order = uses.toSorted((a, b) => b.uses - a.uses || a.phrase - b.phrase)
  return new Map(order.map(({ phrase }) => [phrase, textOf(options, phrase)]))
}

function countUses({ set, units }: TermOptions, slots: Int32Array): PhraseUse[] {
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
