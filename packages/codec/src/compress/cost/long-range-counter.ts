import type { Pieces, Tokenizer } from '../../tokens/get-tokenizer.ts'
import { findAbove } from '../../binary-search.ts'

/** Lengths in UTF-16 units of the window counted at either end of a range, tried in this order. */
const WINDOWS = [8, 32, 128] as const
/** Longest text between two token ends to try before any window, in UTF-16 units. */
const LONGEST_TOKEN = 16
const UNKNOWN = -2
const NOT_FOUND = -1

/**
 * Counts long ranges of a text between `head` and `tail`, each in constant time once its two ends
 * were counted: the tokens near the ends are counted in a window, those in between are the tokens
 * of the whole text. This is exact for the reason given at `mergeLong` in `tokens/merge-long`: if
 * every two adjacent tokens of a run are the merge of their own bytes, the run is the merge of all
 * its bytes. So a window may continue with the tokens of the text where both have the same token:
 * two boundaries in common with none between them, and equal counts.
 */
export class LongRangeCounter {
  private readonly tokens: TextTokens
  private readonly head: string
  private readonly tail: string
  /** Where a range from an offset joins the tokens of the text, and how many more it has there. */
  private startJoints: Int32Array | undefined
  private startCounts: Int32Array | undefined
  /** Where a range to an offset parts from the tokens of the text, and the sum of both. */
  private endJoints: Int32Array | undefined
  private endCounts: Int32Array | undefined

  /** Whether text between two token ends keeps its tokens after the head, or before the tail. */
  private readonly joinedHeads = new Map<string, boolean>()
  private readonly joinedTails = new Map<string, boolean>()
  private readonly headCount: number
  private readonly tailCount: number

  constructor(tokens: TextTokens, head: string, tail: string) {
    this.tokens = tokens
    this.head = head
    this.tail = tail
    this.headCount = tokens.tokenizer.countTokens(head)
    this.tailCount = tokens.tokenizer.countTokens(tail)
  }

  /** Tokens of a range between head and tail; -1 if the range is too short for this. */
  count(from: number, to: number): number {
    const start = this.findStartJoint(from)
    const end = this.findEndJoint(to)
    if (start === NOT_FOUND || end === NOT_FOUND || start > end) return -1
    return this.startCounts![from]! + this.endCounts![to]!
  }

  /** As {@link count}, of the head and a range to where a token must end. */
  countStart(from: number, to: number): number {
    const start = this.findStartJoint(from)
    return start === NOT_FOUND || start > to ? -1 : this.startCounts![from]! + this.tokens.countUpTo(to)
  }

  /** As {@link count}, of a range from where a token must end, and the tail. */
  countEnd(from: number, to: number): number {
    const end = this.findEndJoint(to)
    return end < from ? -1 : this.endCounts![to]! - this.tokens.countUpTo(from)
  }

  /** Returns an estimate of {@link count}, for ranges whose ends have no joint. */
  estimate(from: number, to: number): number {
    return this.tokens.countUpTo(to) - this.tokens.countUpTo(from) + 2
  }

  /** Finds a token boundary that the text and a range from `from` share, after equal tokens. */
  private findStartJoint(from: number): number {
    const size = this.tokens.text.length + 1
    this.startJoints ??= new Int32Array(size).fill(UNKNOWN)
    this.startCounts ??= new Int32Array(size)
    if (this.startJoints[from] === UNKNOWN) this.startJoints[from] = this.joinStart(from, this.startCounts)
    return this.startJoints[from]!
  }

  private joinStart(from: number, counts: Int32Array): number {
    const { tokens, head } = this
    const { text, tokenizer } = tokens
    const next = tokens.isEnd(from) ? tokens.findEndAfter(from, LONGEST_TOKEN) : -1
    if (next >= 0 && this.isJoint(from, next, this.joinedHeads, head, '')) {
      counts[from] = this.headCount - tokens.countUpTo(from)
      return next
    }
    for (const window of WINDOWS) {
      const cut = Math.min(text.length, from + window)
      const isInPair = text.charCodeAt(cut) >> 10 === 55
      const to = isInPair ? cut + 1 : cut
      const ends = tokenizer.tokenEnds(head + text.slice(from, to))
      let last = NOT_FOUND
      for (let index = 0; index < ends.length; index++) {
        const end = ends[index]! - head.length + from
        // A window ends at a boundary that the range may not have.
        if (ends[index]! < head.length || (end === to && to < text.length)) continue
        const ahead = index + 1 - tokens.countUpTo(end)
        if (last !== NOT_FOUND && ahead === counts[from] && tokens.isEnd(end)) return end
        last = tokens.isEnd(end) ? end : NOT_FOUND
        counts[from] = ahead
      }
      if (to === text.length) break
    }
    return NOT_FOUND
  }

  /** Whether a part keeps its tokens between `head` and `tail`, one of which is empty. */
  private isJoint(
    from: number,
    to: number,
    known: Map<string, boolean>,
    head: string,
    tail: string,
  ): boolean {
    const part = this.tokens.text.slice(from, to)
    let isSame = known.get(part)
    if (isSame === undefined) {
      const { tokens } = this
      const ends = tokens.tokenizer.tokenEnds(head + part + tail)
      const cut = head === '' ? part.length : head.length
      const count = tokens.countUpTo(to) - tokens.countUpTo(from)
      isSame = ends.includes(cut) && ends.length === count + (head === '' ? this.tailCount : this.headCount)
      if (known.size >= MAX_KNOWN) known.clear()
      known.set(part, isSame)
    }
    return isSame
  }

  /** Finds a token boundary that the text and a range up to `to` share, before equal tokens. */
  private findEndJoint(to: number): number {
    const size = this.tokens.text.length + 1
    this.endJoints ??= new Int32Array(size).fill(UNKNOWN)
    this.endCounts ??= new Int32Array(size)
    if (this.endJoints[to] === UNKNOWN) this.endJoints[to] = this.joinEnd(to, this.endCounts)
    return this.endJoints[to]!
  }

  private joinEnd(to: number, counts: Int32Array): number {
    const { tokens, tail } = this
    const previous = tokens.isEnd(to) ? tokens.findEndBefore(to, LONGEST_TOKEN) : -1
    if (previous >= 0 && this.isJoint(previous, to, this.joinedTails, '', tail)) {
      counts[to] = tokens.countUpTo(to) + this.tailCount
      return previous
    }
    for (const window of WINDOWS) {
      const from = tokens.findLastEnd(Math.max(0, to - window), Math.max(0, to - 2 * window))
      if (from < 0) continue
      const ends = tokens.tokenizer.tokenEnds(tokens.text.slice(from, to) + tail)
      let last = NOT_FOUND
      for (let index = ends.length - 1; index >= (from === 0 ? -1 : 0); index--) {
        const end = index < 0 ? from : ends[index]! + from
        if (end < from || end > to) continue
        const ahead = tokens.countUpTo(end) + ends.length - index - 1
        if (last !== NOT_FOUND && ahead === counts[to] && tokens.isEnd(end)) return end
        last = tokens.isEnd(end) ? end : NOT_FOUND
        counts[to] = ahead
      }
      if (from === 0) break
    }
    return NOT_FOUND
  }
}

const MAX_KNOWN = 1 << 16

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
