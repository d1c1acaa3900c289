import type { Pieces, Tokenizer } from '../../tokens/get-tokenizer.ts'
import type { Units } from '../text/lex-units.ts'
import { LongRangeCounter, TextTokens } from './long-range-counter.ts'
import { isLong, PieceCounter } from './piece-counter.ts'

export interface HeaderCostOptions {
  readonly tokenizer: Tokenizer
  readonly pieces: Pieces
  readonly countCached: (text: string) => number
  /** Whether candidates may contain newlines; if not, few need escapes. */
  readonly newlines: boolean
}

const UNKNOWN = -0x80000000
/** Longest expansion without joints that is counted as a string, in UTF-16 units. */
const SHORT_WITHOUT_JOINT = 256

/**
 * Costs of entries in the header: `|`, a term of one token, `=` and the escaped expansion. An
 * expansion that spans pre-tokens is measured at its two boundaries in the escaped text, any other
 * long one by a {@link LongRangeCounter}. Short ones are counted.
 */
export class HeaderCosts {
  private readonly units: Units
  private readonly tokenizer: Tokenizer
  private readonly countCached: (text: string) => number
  private readonly newlines: boolean
  private readonly counter: PieceCounter
  private readonly written: string
  private readonly writtenPieces: Pieces
  private plainRanges: LongRangeCounter | undefined
  private escapedRanges: LongRangeCounter | undefined
  /** Number of characters to escape before each boundary. */
  readonly escapes: Int32Array
  private readonly begins: Int32Array
  private readonly ends: Int32Array
  /** The pre-token that contains each measured boundary or starts at it. */
  private readonly pieceOfBoundary: Int32Array

  constructor(units: Units, { tokenizer, pieces, countCached, newlines }: HeaderCostOptions) {
    const { text, count } = units
    this.units = units
    this.tokenizer = tokenizer
    this.countCached = countCached
    this.newlines = newlines
    this.written = newlines ? escapeExpansion(text) : text
    this.writtenPieces = this.written === text ? pieces : tokenizer.splitPieces(this.written)
    this.counter = new PieceCounter(this.written, this.writtenPieces, tokenizer, '=', '|')
    this.escapes = countEscapes(units)
    this.begins = new Int32Array(count + 1).fill(UNKNOWN)
    this.ends = new Int32Array(count + 1).fill(UNKNOWN)
    this.pieceOfBoundary = new Int32Array(count + 1)
  }

  count(begin: number, end: number): number {
    const { begins, ends, pieceOfBoundary, escapes, counter } = this
    const { text, starts } = this.units
    const from = starts[begin]!
    const to = starts[end]!
    const isPlain = escapes[begin] === escapes[end]
    if (isPlain || this.newlines) {
      if (begins[begin] === UNKNOWN) {
        this.seek(begin)
        begins[begin] = counter.countAfter() + 1
      }
      if (ends[end] === UNKNOWN) {
        this.seek(end)
        ends[end] = counter.countBefore() - counter.total
      }
      if (pieceOfBoundary[end]! - pieceOfBoundary[begin]! > 1) return begins[begin]! + ends[end]!
    }
    if (isLong(text, from, to)) {
      const isWritten = isPlain && !this.newlines
      const ranges = isWritten ? this.plain() : this.escaped()
      const first = isWritten ? from : from + escapes[begin]!
      const last = isWritten ? to : to + escapes[end]!
      const found = ranges.count(first, last)
      if (found >= 0) return found + 1
      if (to - from > SHORT_WITHOUT_JOINT) return ranges.estimate(first, last) + 1
    }
    const expansion = text.slice(from, to)
    return this.countCached(`=${isPlain ? expansion : escapeExpansion(expansion)}|`) + 1
  }

  private plain(): LongRangeCounter {
    return (this.plainRanges ??= this.createRanges(this.written, this.writtenPieces))
  }

  private escaped(): LongRangeCounter {
    if (this.escapedRanges === undefined) {
      const text = this.newlines ? this.written : escapeExpansion(this.written)
      const pieces = this.newlines ? this.writtenPieces : this.tokenizer.splitPieces(text)
      this.escapedRanges = this.createRanges(text, pieces)
    }
    return this.escapedRanges
  }

  private createRanges(text: string, pieces: Pieces): LongRangeCounter {
    return new LongRangeCounter(new TextTokens(text, pieces, this.tokenizer), '=', '|')
  }

  private seek(boundary: number): void {
    this.counter.seek(this.units.starts[boundary]! + (this.newlines ? this.escapes[boundary]! : 0))
    this.pieceOfBoundary[boundary] = this.counter.piece
  }
}

export function escapeExpansion(expansion: string): string {
  return expansion.replace(/[\\|\n\r\t]/g, (character) => ESCAPES.get(character)!)
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['|', '\\|'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])

function countEscapes({ text, starts, count }: Units): Int32Array {
  const escapes = new Int32Array(count + 1)
  for (let unit = 0, found = 0; unit < count; unit++) {
    for (let at = starts[unit]!; at < starts[unit + 1]!; at++) if (ESCAPES.has(text[at]!)) found++
    escapes[unit + 1] = found
  }
  return escapes
}
