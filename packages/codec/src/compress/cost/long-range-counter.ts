import type { Pieces, Tokenizer } from '../../tokens/types.ts'
import { freeArrays } from '../text/typed-arrays.ts'

/** Lengths in UTF-16 units of the text that is counted at an end of a range, tried in this order. */
const WINDOWS = [8, 32, 128] as const
const UNKNOWN = -2
const NOT_FOUND = -1

/**
 * Counts long ranges of a text between `head` and `tail`, each in constant time once its two ends were counted: the
 * tokens near them are counted in a window, those between are the tokens of the whole text.
 *
 * This is exact for the reason given at `mergeLong` in `tokens/merge-long`: if every two neighbours of a run of tokens
 * are the merge of their own bytes, the run is the merge of all its bytes. Between two places where both the window and
 * the whole text have a token boundary, both have the same tokens. So the one may go on as the other there.
 */
export class LongRangeCounter {
  private readonly text: string
  private readonly ends: Uint32Array
  private readonly counts: Uint32Array
  private readonly tokenizer: Tokenizer
  private readonly head: string
  private readonly tail: string
  /** Tokens before each pre-token. */
  private readonly sums: Int32Array
  /** For each offset twice the number of tokens that end up to there, and 1 more at the end of a token; -1 if not known yet. */
  private readonly tokens: Int32Array
  /** Where a range that starts at an offset joins the tokens of the text, and its tokens up to there less those of the text. */
  private readonly startJoints: Int32Array
  private readonly startCounts: Int32Array
  /** The same for a range that ends at an offset: the tokens of the text up to the joint and those of the range after it. */
  private readonly endJoints: Int32Array
  private readonly endCounts: Int32Array
  private piece = 0

  constructor(text: string, { ends, counts }: Pieces, tokenizer: Tokenizer, head: string, tail: string) {
    this.text = text
    this.ends = ends
    this.counts = counts
    this.tokenizer = tokenizer
    this.head = head
    this.tail = tail
    this.sums = new Int32Array(ends.length + 1)
    for (let piece = 0; piece < ends.length; piece++)
      this.sums[piece + 1] = this.sums[piece]! + counts[piece]!
    this.tokens = new Int32Array(text.length + 1).fill(-1)
    this.startJoints = new Int32Array(text.length + 1).fill(UNKNOWN)
    this.startCounts = new Int32Array(text.length + 1)
    this.endJoints = new Int32Array(text.length + 1).fill(UNKNOWN)
    this.endCounts = new Int32Array(text.length + 1)
  }

  /** Returns the tokens of `text.slice(from, to)` between head and tail; -1 if the range is too short to count it so. */
  count(from: number, to: number): number {
    if (this.startJoints[from] === UNKNOWN) this.joinStart(from)
    if (this.endJoints[to] === UNKNOWN) this.joinEnd(to)
    const start = this.startJoints[from]!
    const end = this.endJoints[to]!
    if (start === NOT_FOUND || end === NOT_FOUND || start > end) return -1
    return this.startCounts[from]! + this.endCounts[to]!
  }

  /** Returns about as many tokens as {@link count}, for ranges whose ends have no joint. */
  estimate(from: number, to: number): number {
    return (this.tokensAt(to) >> 1) - (this.tokensAt(from) >> 1) + 2
  }

  /** Frees the memory; the object must not be used afterwards. */
  free(): void {
    freeArrays(this.sums, this.tokens, this.startJoints, this.startCounts, this.endJoints, this.endCounts)
  }

  /** Finds the first two token boundaries that both the text and a range from `from` on have. */
  private joinStart(from: number): void {
    const { text, head } = this
    this.startJoints[from] = NOT_FOUND
    for (const window of WINDOWS) {
      const to = toCharacterEnd(text, Math.min(text.length, from + window))
      const ends = this.tokenizer.tokenEnds(head + text.slice(from, to))
      let common = 0
      for (let index = 0; index < ends.length; index++) {
        const end = ends[index]! - head.length + from
        if (ends[index]! < head.length || (this.tokensAt(end) & 1) === 0 || ++common < 2) continue
        this.startJoints[from] = end
        this.startCounts[from] = index + 1 - (this.tokensAt(end) >> 1)
        return
      }
      if (to === text.length) return
    }
  }

  /** Finds the last two token boundaries that both the text and a range up to `to` have. */
  private joinEnd(to: number): void {
    const { text, tail } = this
    this.endJoints[to] = NOT_FOUND
    for (const window of WINDOWS) {
      const from = this.findWindowStart(Math.max(0, to - window), Math.max(0, to - 2 * window))
      if (from < 0) continue
      const ends = this.tokenizer.tokenEnds(text.slice(from, to) + tail)
      let isLater = false
      for (let index = ends.length - 1; index >= -1; index--) {
        const end = index < 0 ? from : ends[index]! + from
        if (index >= 0 && (ends[index]! < 0 || end > to)) continue
        if ((this.tokensAt(end) & 1) === 0) continue
        if (isLater) {
          this.endJoints[to] = end
          this.endCounts[to] = (this.tokensAt(end) >> 1) + ends.length - index - 1
          return
        }
        isLater = true
      }
      if (from === 0) return
    }
  }

  /** Returns the start of a pre-token, else the end of a token, from `most` down to `least`; -1 if there is none. */
  private findWindowStart(most: number, least: number): number {
    const piece = this.findPiece(most)
    const start = this.ends[piece] === most ? most : piece === 0 ? 0 : this.ends[piece - 1]!
    if (start >= least) return start
    for (let at = most; at >= least; at--) if ((this.tokensAt(at) & 1) === 1) return at
    return -1
  }

  private tokensAt(offset: number): number {
    if (this.tokens[offset] === -1) this.readPiece(offset)
    return this.tokens[offset]!
  }

  /** Reads the tokens of the pre-token that contains an offset or ends there. */
  private readPiece(offset: number): void {
    const { text, ends, counts, sums, tokens } = this
    const piece = this.findPiece(offset)
    const from = piece === 0 ? 0 : ends[piece - 1]!
    const to = ends[piece] ?? 0
    const first = sums[piece]!
    tokens[from] = 2 * first + 1
    if (to === from) return
    const found = this.tokenizer.tokenEnds(text.slice(from, to))
    const isSame = found.length === counts[piece]
    let token = 0
    for (let at = from + 1; at < to; at++) {
      while (endOf(found[token]!) <= at - from) token++
      tokens[at] = 2 * (first + token) + (isSame && token > 0 && found[token - 1] === at - from ? 1 : 0)
    }
    tokens[to] = 2 * sums[piece + 1]! + 1
  }

  private findPiece(offset: number): number {
    const { ends } = this
    const isIn = (piece: number): boolean =>
      piece < ends.length && ends[piece]! >= offset && (piece === 0 || ends[piece - 1]! < offset)
    if (isIn(this.piece)) return this.piece
    let low = 0
    let high = Math.max(0, ends.length - 1)
    while (low < high) {
      const middle = (low + high) >> 1
      if (ends[middle]! < offset) low = middle + 1
      else high = middle
    }
    this.piece = low
    return low
  }
}

function endOf(end: number): number {
  return end < 0 ? ~end : end
}

/** Moves an offset inside a surrogate pair behind it. */
function toCharacterEnd(text: string, offset: number): number {
  const code = text.charCodeAt(offset)
  return code >= 0xdc00 && code <= 0xdfff ? offset + 1 : offset
}
