import { countUnits } from './utf8-buffer.ts'
import type { Vocabulary } from './vocabulary/vocabulary.ts'

/** Collects where the tokens of a text end, piece by piece (see `Tokenizer.tokenEnds`). */
export class TokenEnds {
  private readonly vocabulary: Vocabulary
  private readonly ends: number[] = []
  private units = 0

  constructor(vocabulary: Vocabulary) {
    this.vocabulary = vocabulary
  }

  /** Adds the tokens `ids` of the piece that begins at byte `from`. */
  add(bytes: Uint8Array, from: number, ids: readonly number[]): void {
    const { vocabulary, ends } = this
    let at = from
    for (let index = 0; index < ids.length; index++) {
      const next = at + vocabulary.lengthOf(ids[index]!)
      this.units += countUnits(bytes, at, next)
      at = next
      const isCharacterEnd = index === ids.length - 1 || (bytes[at]! & 0xc0) !== 0x80
      ends.push(isCharacterEnd ? this.units : ~this.units)
    }
  }

  /** Returns all ends. */
  take(): Int32Array {
    return Int32Array.from(this.ends)
  }
}

/** Reads a value of `Tokenizer.tokenEnds`: the offset up to which the token is complete. */
export function readTokenEnd(end: number): number {
  return end < 0 ? ~end : end
}
