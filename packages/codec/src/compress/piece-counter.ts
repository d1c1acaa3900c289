import type { Pieces } from '../tokens/types.ts'

/** Longest text beside a cut that is counted exactly, in UTF-16 units; farther away counts are spread evenly. */
const REACH = 64

/** Counts a text that is cut somewhere, from its pre-tokens and short strings beside the cut; cuts must rise. */
export class PieceCounter {
  /** Tokens of the whole text. */
  readonly total: number
  /** The pre-token that holds the cut, the later one at a border, and where it begins. */
  piece = 0
  private from = 0
  private at = 0
  private readonly text: string
  private readonly ends: Uint32Array
  private readonly counts: Uint32Array
  private readonly sums: Int32Array
  private readonly tally: (text: string) => number

  constructor(text: string, { ends, counts }: Pieces, tally: (text: string) => number) {
    this.text = text
    this.ends = ends
    this.counts = counts
    this.tally = tally
    this.sums = new Int32Array(ends.length + 1)
    for (let piece = 0; piece < ends.length; piece++)
      this.sums[piece + 1] = this.sums[piece]! + counts[piece]!
    this.total = this.sums[ends.length]!
  }

  /** Moves on to the cut at `at`. */
  seek(at: number): void {
    while (this.piece < this.ends.length && this.ends[this.piece]! <= at) this.piece++
    this.from = this.piece === 0 ? 0 : this.ends[this.piece - 1]!
    this.at = at
  }

  /** Tokens of what stands before the cut with `tail` behind it. */
  countBefore(tail: string): number {
    const { text, at, from, piece, sums } = this
    const last = at === 0 ? 0 : text.charCodeAt(at - 1)
    if (at === from) {
      if (isPlainLetter(last)) return sums[piece]! + this.tally(tail)
      return this.countFrom(piece - 1, tail)
    }
    if (last !== 32) return this.countFrom(piece, tail)
    if (at === from + 1 && from > 0 && isPlainLetter(text.charCodeAt(from - 1))) {
      return sums[piece]! + this.tally(` ${tail}`)
    }
    return this.countFrom(Math.max(0, piece - 1), tail)
  }

  /** Tokens of `head` with what stands behind the cut. */
  countAfter(head: string): number {
    const { text, at, from, piece, ends, sums, total } = this
    if (piece === ends.length) return this.tally(head)
    if (at === from && text.charCodeAt(at) === 32 && isPlainLetter(text.charCodeAt(at + 1))) {
      return total - sums[piece]! + this.tally(head)
    }
    const to = ends[piece]!
    const behind = total - sums[piece + 1]!
    if (to - at <= REACH) return this.tally(head + text.slice(at, to)) + behind
    return 1 + Math.round((this.counts[piece]! * (to - at)) / (to - from)) + behind
  }

  private countFrom(piece: number, tail: string): number {
    if (piece < 0) return this.tally(tail)
    const from = piece === 0 ? 0 : this.ends[piece - 1]!
    const { at } = this
    if (at - from <= REACH) return this.sums[piece]! + this.tally(this.text.slice(from, at) + tail)
    const part = Math.min(1, (at - from) / (this.ends[piece]! - from))
    return this.sums[piece]! + Math.round(this.counts[piece]! * part) + 1
  }
}

function isPlainLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
}
