import { countUnits } from './utf8-buffer.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Collects where the tokens of a text end, piece by piece (see `Tokenizer.tokenEnds`). */
export class TokenEnds {
  private readonly vocabulary: Vocabulary
  private readonly ends: number[] = []
  private units = 0

  constructor(vocabulary: Vocabulary) {
    this.vocabulary = vocabulary
  }

  /** Adds the tokens `ids` of the piece from byte `from` up to `to`. */
  add(bytes: Uint8Array, from: number, to: number, ids: readonly number[]): void {
    const { vocabulary, ends } = this
    let length = 0
    for (const id of ids) length += vocabulary.lengthOf(id)
    // The rank of a merge that begins with a byte order mark is that of the bytes after it: then only the end is known.
    const isWhole = length === to - from
    let at = from
    for (let index = 0; index < ids.length; index++) {
      const isLast = index === ids.length - 1
      const next = isLast ? to : isWhole ? at + vocabulary.lengthOf(ids[index]!) : at
      this.units += countUnits(bytes, at, next)
      at = next
      const isCharacterEnd = isLast || (isWhole && (bytes[at]! & 0xc0) !== 0x80)
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
