import { CharKind } from '../text/char-kind.ts'
import type { Units } from '../text/lex-units.ts'
import { cutsNumberBefore, cutsNumberBehind } from './readability.ts'

/** Where terms can stand. */
export interface UseRule {
  /** May a term stand for units `begin` up to `end`, as far as their neighbours go. */
  allows(begin: number, end: number): boolean
}

/** No term beside a code point that decoders may class differently, or before a mark; acronyms not beside words. */
export class NeighbourRule implements UseRule {
  /** Where uses may begin and where they may end, by unit boundary. */
  private readonly borders: Uint8Array

  constructor({ text, starts, kinds, count }: Units, readable: boolean) {
    const borders = new Uint8Array(count + 1)
    const notBefore = CharKind.notBeforeTerm | (readable ? CharKind.word : 0)
    const notAfter = CharKind.notAfterTerm | (readable ? CharKind.word : 0)
    for (let boundary = 0; boundary <= count; boundary++) {
      const before = boundary > 0 ? kinds[boundary - 1]! : 0
      const after = boundary < count ? kinds[boundary]! : 0
      const at = starts[boundary]!
      if ((before & notBefore) === 0 && !(readable && cutsNumberBefore(text, at))) borders[boundary]! |= BEGIN
      if ((after & notAfter) === 0 && !(readable && cutsNumberBehind(text, at))) borders[boundary]! |= END
    }
    this.borders = borders
  }

  allows(begin: number, end: number): boolean {
    return (this.borders[begin]! & BEGIN) !== 0 && (this.borders[end]! & END) !== 0
  }
}

const BEGIN = 1
const END = 2
