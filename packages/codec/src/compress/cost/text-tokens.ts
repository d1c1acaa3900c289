import type { Pieces, Tokenizer } from '../../tokens/types.ts'
import { findAbove } from '../../binary-search.ts'

/** Where the tokens of a text end. Most pre-tokens are never needed, so they are read late. */
export class TextTokens {
  readonly text: string
  readonly tokenizer: Tokenizer
  private readonly ends: Uint32Array
  private readonly counts: Uint32Array
  readonly sums: Int32Array
  /** Twice the tokens up to each offset, plus 1 if one ends there; -1 if not read yet. */
  private tokens: Int32Array | undefined
  private piece = 0

  constructor(text: string, { ends, counts }: Pieces, tokenizer: Tokenizer) {
    this.text = text
    this.tokenizer = tokenizer
    this.ends = ends
    this.counts = counts
    this.sums = new Int32Array(ends.length + 1)
    for (let piece = 0; piece < ends.length; piece++)
      this.sums[piece + 1] = this.sums[piece]! + counts[piece]!
  }

  countUpTo(offset: number): number {
    return this.read(offset) >> 1
  }

  /** Whether a token ends at an offset, or the text starts there. */
  isEnd(offset: number): boolean {
    return (this.read(offset) & 1) === 1
  }

  /** Returns the last token end within `reach` units before an offset; -1 if there is none. */
  findEndBefore(offset: number, reach: number): number {
    for (let at = offset - 1; at >= Math.max(0, offset - reach); at--) if (this.isEnd(at)) return at
    return -1
  }

  findEndAfter(offset: number, reach: number): number {
    const last = Math.min(this.text.length, offset + reach)
    for (let at = offset + 1; at <= last; at++) if (this.isEnd(at)) return at
    return -1
  }

  /** The last start of a pre-token in a range, else the last end of a token, else -1. */
  findLastEnd(most: number, least: number): number {
    const piece = this.findPiece(most)
    const start = this.ends[piece] === most ? most : piece === 0 ? 0 : this.ends[piece - 1]!
    if (start >= least) return start
    for (let at = most; at >= least; at--) if (this.isEnd(at)) return at
    return -1
  }

  private read(offset: number): number {
    this.tokens ??= new Int32Array(this.text.length + 1).fill(-1)
    if (this.tokens[offset] === -1) this.readPiece(this.tokens, this.findPiece(offset))
    return this.tokens[offset]!
  }

  private readPiece(tokens: Int32Array, piece: number): void {
    const { text, ends, counts, sums } = this
    const from = piece === 0 ? 0 : ends[piece - 1]!
    const to = ends[piece] ?? 0
    const first = sums[piece]!
    tokens[from] = 2 * first + 1
    if (to === from) return
    const found = this.tokenizer.tokenEnds(text.slice(from, to))
    // On its own, a pre-token may be split differently. Then only its ends are used.
    const isSame = found.length === counts[piece]
    let token = 0
    for (let at = from + 1; at < to; at++) {
      while ((found[token]! < 0 ? ~found[token]! : found[token]!) <= at - from) token++
      tokens[at] = 2 * (first + token) + (isSame && token > 0 && found[token - 1] === at - from ? 1 : 0)
    }
    tokens[to] = 2 * sums[piece + 1]! + 1
  }

  private findPiece(offset: number): number {
    const { ends, piece } = this
    if (piece < ends.length && ends[piece]! >= offset && (piece === 0 || ends[piece - 1]! < offset))
      return piece
    this.piece = findAbove(ends, offset - 1, 0, Math.max(0, ends.length - 1))
    return this.piece
  }
}
