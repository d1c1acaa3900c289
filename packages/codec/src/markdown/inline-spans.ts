import { findText, isAlpha, skipSpaces } from './table-row.ts'

/**
 * Finds the ends of code spans, the next run of equal length for each run of backticks, in linear
 * time.
 *
 *     code-span = "`"{n} text "`"{n}      (no other run of n backticks in between)
 */
export class CodeSpans {
  private readonly text: string
  /**
   * Starts of the runs in the region, and for each the index of the next run of its length; -1 if
   * there is none.
   */
  private starts: number[] = []
  private nexts: Int32Array = new Int32Array(0)
  /** First run after the last loaded region. Most regions have no run and need no search. */
  private ahead = -1
  private cursor = 0

  constructor(text: string) {
    this.text = text
  }

  /**
   * Prepares calls of {@link findEnd} for `[start, end)`. Regions, and calls within a region, must
   * come in ascending order.
   */
  load(start: number, end: number): void {
    this.cursor = 0
    if (this.starts.length > 0) this.starts = []
    if (this.ahead < start) this.ahead = this.findRun(start)
    if (this.ahead >= end) return
    const { starts } = this
    while (this.ahead < end) {
      starts.push(this.ahead)
      this.ahead = this.findRun(this.ahead + this.runLength(this.ahead))
    }
    this.nexts = new Int32Array(starts.length).fill(-1)
    const last = new Map<number, number>()
    for (let index = starts.length - 1; index >= 0; index--) {
      const length = this.runLength(starts[index]!)
      this.nexts[index] = last.get(length) ?? -1
      last.set(length, index)
    }
  }

  runLength(start: number): number {
    let offset = start
    while (this.text.charCodeAt(offset) === 96) offset++
    return offset - start
  }

  /** End of the code span that the run at `start` opens; -1 if it opens none. */
  findEnd(start: number): number {
    while (this.cursor < this.starts.length && this.starts[this.cursor]! < start) this.cursor++
    const next = this.starts[this.cursor] === start ? this.nexts[this.cursor]! : -1
    if (next < 0) return -1
    const close = this.starts[next]!
    return close + this.runLength(close)
  }

  private findRun(from: number): number {
    const found = this.text.indexOf('`', from)
    return found < 0 ? this.text.length : found
  }
}

/**
 * Maximum length of a span, in UTF-16 units. Longer ones are not found, to keep the time linear for
 * hostile input.
 */
const LONGEST_SPAN = 2048
const LONGEST_TITLE = 512
/** Maximum depth of parentheses in a destination, as in the reference parser. */
const DEEPEST = 32

/** End of the autolink, HTML tag or comment at a `<`; -1 if there is none before `end`. */
export function readTagEnd(text: string, start: number, end: number): number {
  const limit = Math.min(end, start + LONGEST_SPAN)
  const first = start + 1 < limit ? text.charCodeAt(start + 1) : 0
  if (first === 33 && text.startsWith('--', start + 2)) {
    const close = findText(text, '-->', start + 2, limit)
    return close < 0 ? -1 : close + 3
  }
  if (first !== 33 && first !== 47 && first !== 63 && !isAlpha(first)) return -1
  let quote = 0
  for (let offset = start + 1; offset < limit; offset++) {
    const code = text.charCodeAt(offset)
    if (quote !== 0) {
      if (code === quote) quote = 0
    } else if (code === 34 || code === 39) quote = code
    else if (code === 62) return offset + 1
    else if (code === 60) return -1
  }
  return -1
}

/**
 * End of the resource of a link at its `(`; -1 if it is malformed.
 *
 *     resource    = "(" destination (white-space+ title)? white-space* ")"
 *     destination = "<" text ">" | text with balanced parentheses
 *     title       = '"' text '"' | "'" text "'" | "(" text ")"
 */
export function readResourceEnd(text: string, start: number, end: number): number {
  const limit = Math.min(end, start + LONGEST_SPAN)
  const destinationEnd = readDestinationEnd(text, skipSpaces(text, start + 1, limit), limit)
  let offset = skipWhitespace(text, destinationEnd, limit)
  const quote = offset < limit && offset > destinationEnd ? text.charCodeAt(offset) : 0
  if (quote === 34 || quote === 39 || quote === 40) {
    const close = quote === 40 ? 41 : quote
    const titleLimit = Math.min(limit, ++offset + LONGEST_TITLE)
    while (offset < titleLimit && text.charCodeAt(offset) !== close)
      offset += text.charCodeAt(offset) === 92 ? 2 : 1
    offset = skipWhitespace(text, offset + 1, limit)
  }
  return offset < limit && text.charCodeAt(offset) === 41 ? offset + 1 : -1
}

function readDestinationEnd(text: string, start: number, end: number): number {
  const enclosed = text.charCodeAt(start) === 60
  let depth = 0
  for (let offset = enclosed ? start + 1 : start; offset < end; offset++) {
    const code = text.charCodeAt(offset)
    if (code === 92) offset++
    else if (enclosed) {
      if (code === 62) return offset + 1
      if (code === 60 || code === 10 || code === 13) return offset
    } else if (code <= 32 || (code === 41 && depth-- === 0) || (code === 40 && depth++ === DEEPEST))
      return offset
  }
  return end
}

function skipWhitespace(text: string, start: number, end: number): number {
  let offset = start
  while (offset < end && text.charCodeAt(offset) <= 32) offset++
  return offset
}
