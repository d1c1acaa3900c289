import type { Pieces, Tokenizer } from '../../tokens/get-tokenizer.ts'
import { LongRangeCounter, TextTokens } from './long-range-counter.ts'
import { findAbove } from '../../binary-search.ts'
import type { Units } from '../text/lex-units.ts'

/** UTF-16 units beside a cut that are counted exactly. Longer pre-tokens are estimated. */
const REACH = 64

/** Counts a text that is cut at one offset, with `tail` before the cut or `head` after it. */
export class PieceCounter {
  readonly total: number
  /** The pre-token that contains the cut, or begins at it, and its start. */
  piece = 0
  private from = 0
  private at = 0
  private readonly text: string
  private readonly ends: Uint32Array
  private readonly counts: Uint32Array
  private readonly sums: Int32Array
  private readonly ranges: LongRangeCounter
  private readonly count: (text: string) => number
  private readonly head: string
  private readonly tail: string
  /** Tokens of the head, of the tail, and of the tail after a space. */
  private readonly headCount: number
  private readonly tailCount: number
  private readonly spacedCount: number

  constructor(text: string, pieces: Pieces, tokenizer: Tokenizer, head: string, tail: string) {
    const { ends, counts } = pieces
    this.text = text
    const tokens = new TextTokens(text, pieces, tokenizer)
    this.ranges = new LongRangeCounter(tokens, head, tail)
    this.ends = ends
    this.counts = counts
    this.sums = tokens.sums
    this.total = this.sums[ends.length]!
    this.count = createCachedCounter(tokenizer)
    this.head = head
    this.tail = tail
    this.headCount = tokenizer.countTokens(head)
    this.tailCount = tokenizer.countTokens(tail)
    this.spacedCount = tokenizer.countTokens(` ${tail}`)
  }

  seek(at: number): void {
    const { ends } = this
    let piece = this.piece
    let step = 1
    while (piece < ends.length && ends[piece]! <= at) {
      piece += step
      step *= 2
    }
    this.piece = findAbove(ends, at, this.from <= at ? this.piece : 0, Math.min(piece, ends.length))
    this.from = this.piece === 0 ? 0 : ends[this.piece - 1]!
    this.at = at
  }

  countBefore(): number {
    const { text, at, from, piece, sums } = this
    const last = at === 0 ? 0 : text.charCodeAt(at - 1)
    if (at === from) return isPlainLetter(last) ? sums[piece]! + this.tailCount : this.countFrom(piece - 1)
    if (last !== 32) return this.countFrom(piece)
    if (at === from + 1 && from > 0 && isPlainLetter(text.charCodeAt(from - 1))) {
      return sums[piece]! + this.spacedCount
    }
    return this.countFrom(Math.max(0, piece - 1))
  }

  countAfter(): number {
    const { text, at, from, piece, ends, sums, total } = this
    if (piece === ends.length) return this.headCount
    if (at === from && text.charCodeAt(at) === 32 && isPlainLetter(text.charCodeAt(at + 1))) {
      return total - sums[piece]! + this.headCount
    }
    const to = ends[piece]!
    const behind = total - sums[piece + 1]!
    if (to - at <= REACH && isLong(text, at, to)) {
      const count = this.ranges.countStart(at, to)
      if (count >= 0) return count + behind
    }
    if (to - at <= REACH) return this.count(this.head + text.slice(at, to)) + behind
    return 1 + Math.round((this.counts[piece]! * (to - at)) / (to - from)) + behind
  }

  private countFrom(piece: number): number {
    if (piece < 0) return this.tailCount
    const from = piece === 0 ? 0 : this.ends[piece - 1]!
    const { at } = this
    if (at - from <= REACH && isLong(this.text, from, at)) {
      const count = this.ranges.countEnd(from, at)
      if (count >= 0) return this.sums[piece]! + count
    }
    if (at - from <= REACH) return this.sums[piece]! + this.count(this.text.slice(from, at) + this.tail)
    const part = Math.min(1, (at - from) / (this.ends[piece]! - from))
    return this.sums[piece]! + Math.round(this.counts[piece]! * part) + 1
  }
}

function isPlainLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
}

/** Whether to count by the tokens of the whole text. Latin letters take few tokens. */
export function isLong(text: string, from: number, to: number): boolean {
  return to - from > (isPlainLetter(text.charCodeAt(from)) ? SHORT_LETTERS : SHORT)
}

const SHORT_LETTERS = 12
const SHORT = 4
/** Creates a counter of short strings that caches each count. */
export function createCachedCounter(tokenizer: Tokenizer): (text: string) => number {
  const known = new Map<string, number>()
  return (text) => {
    let count = known.get(text)
    if (count === undefined) {
      count = tokenizer.countTokens(text)
      if (known.size >= 1 << 18) known.clear()
      known.set(text, count)
    }
    return count
  }
}

/**
 * The cost in tokens of cutting the text at each unit boundary and putting a one-token term there.
 * Replacing units `i` up to `j` saves `ends[j] - begins[i]` tokens, plus `adjacencyGain[i]` right
 * after another term.
 */
export interface BoundaryCosts {
  readonly total: number
  readonly begins: Int32Array
  readonly ends: Int32Array
  readonly adjacencyGain: Int8Array
}

/** Counts the pre-tokens on both sides of each boundary with a `probe` of one token between. */
export function measureBoundaries(
  units: Units,
  pieces: Pieces,
  tokenizer: Tokenizer,
  probe: string,
): BoundaryCosts {
  const { text, starts, count } = units
  const counter = new PieceCounter(text, pieces, tokenizer, probe, probe)
  const begins = new Int32Array(count + 1)
  const ends = new Int32Array(count + 1)
  const adjacencyGain = new Int8Array(count + 1)
  for (let unit = 0; unit <= count; unit++) {
    counter.seek(starts[unit]!)
    const before = counter.countBefore() - 1
    const after = counter.countAfter() - 1
    begins[unit] = before
    ends[unit] = counter.total - 1 - after
    adjacencyGain[unit] = Math.max(-100, Math.min(100, before + after - counter.total))
  }
  return { total: counter.total, begins, ends, adjacencyGain }
}
