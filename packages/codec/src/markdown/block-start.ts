import { readFenceStart } from './fenced-code.ts'
import { readHtmlStart } from './html-block.ts'
import { readDelimiterRow, skipSpaces } from './table-row.ts'

/** What a text could start in some context; bits of {@link BlockStart.constructs}. */
export const Construct = {
  atx: 1,
  thematicBreak: 2,
  setext: 4,
  fence: 8,
  html: 16,
  delimiterRow: 32,
  bullet: 64,
  ordered: 128,
  quote: 256,
  footnote: 512,
  task: 1024,
  /** A `[` alone at the end of a line, or a `]` at the start: the halves of a task box. */
  bracket: 2048,
  /** `[label]:`, which may start a link reference definition. */
  label: 4096,
} as const

/** Constructs that are container markers. */
export const CONTAINER_CONSTRUCTS: number =
  Construct.bullet | Construct.ordered | Construct.quote | Construct.footnote

const LONGEST_LABEL = 999

/** Reads which constructs the text at an offset could start; one instance serves a whole scan. */
export class BlockStart {
  readonly text: string
  constructs = 0
  /** Heading level, kind of HTML block, columns of a delimiter row, or length of a fence. */
  detail = 0
  width = 0
  /** Scans that start before these offsets fail at the same character, so they are skipped. */
  private dashStop = 0
  private starStop = 0

  constructor(text: string) {
    this.text = text
  }

  /** Reads at `start`, the first character of `[start, end)` that is not white space. */
  read(start: number, end: number): void {
    this.constructs = 0
    this.detail = 0
    this.width = 0
    if (start === end) return
    const code = this.text.charCodeAt(start)
    if (code >= 127 || SPECIAL[code] === 0) return
    if (code >= 48 && code <= 57) this.readOrdered(start, end)
    else if (code === 35) this.readAtx(start, end)
    else if (code === 62) this.set(Construct.quote, 0, 1)
    else if (code === 96 || code === 126) this.readFence(start, end)
    else if (code === 91) this.readBracket(start, end)
    else if (code === 93) this.constructs = Construct.bracket
    else if (code === 60) this.readHtml(start)
    else if (code === 61) this.readUnderline(code, start, end)
    else if (code === 124 || code === 58) this.readDelimiters(start, end)
    else this.readMarkers(code, start, end)
  }

  private set(construct: number, detail: number, width: number): void {
    this.constructs |= construct
    this.detail = detail
    this.width = width
  }

  /** `-`, `*`, `_` or `+`: a bullet before white space, a thematic break or an underline. */
  private readMarkers(code: number, start: number, end: number): void {
    if (code !== 43 && this.isThematicBreak(code, start, end)) this.constructs |= Construct.thematicBreak
    if (code !== 95 && this.isSpaceOrEnd(start + 1, end)) this.set(Construct.bullet, 0, 1)
    if (code !== 45) return
    this.readUnderline(code, start, end)
    if ((this.constructs & Construct.setext) === 0) this.readDelimiters(start, end)
  }

  private readDelimiters(start: number, end: number): void {
    const columns = readDelimiterRow(this.text, start, end)
    if (columns === 0) return
    this.constructs |= Construct.delimiterRow
    this.detail = columns
  }

  /** setext-underline = ("="+ | "-"+) white-space* end-of-line */
  private readUnderline(code: number, start: number, end: number): void {
    let offset = start + 1
    while (offset < end && this.text.charCodeAt(offset) === code) offset++
    if (skipSpaces(this.text, offset, end) === end) this.constructs |= Construct.setext
  }

  /**
   *     atx-heading = "#"{1,6} (white-space+ text)? (white-space+ "#"+)? white-space* end-of-line
   *
   * The closing run is not part of the construct here: it only moves `LineTable.bodyEnds`.
   */
  private readAtx(start: number, end: number): void {
    let offset = start + 1
    while (offset < end && this.text.charCodeAt(offset) === 35) offset++
    const level = offset - start
    if (level <= 6 && this.isSpaceOrEnd(offset, end)) this.set(Construct.atx, level, level)
  }

  /** ordered = digit{1,9} ("." | ")") (white space | end of line) */
  private readOrdered(start: number, end: number): void {
    let offset = start + 1
    while (offset < end && offset - start < 10 && this.isDigit(offset)) offset++
    const code = offset < end && offset - start < 10 ? this.text.charCodeAt(offset) : 0
    if ((code === 46 || code === 41) && this.isSpaceOrEnd(offset + 1, end)) {
      this.set(Construct.ordered, 0, offset + 1 - start)
    }
  }

  private readFence(start: number, end: number): void {
    const run = readFenceStart(this.text, start, end)
    if (run > 0) this.set(Construct.fence, run, 0)
  }

  private readHtml(start: number): void {
    const kind = readHtmlStart(this.text, start)
    if (kind > 0) this.set(Construct.html, kind, 0)
  }

  /**
   *     task     = "[" (white space | "x" | "X") "]" (white space | end of line)
   *     footnote = "[^" label-without-white-space "]:"
   *     label    = "[" label "]:"
   */
  private readBracket(start: number, end: number): void {
    const { text } = this
    const first = start + 1 < end ? text.charCodeAt(start + 1) : -1
    if (skipSpaces(text, start + 1, end) === end) {
      this.constructs = Construct.bracket
      return
    }
    if (
      start + 2 < end &&
      text.charCodeAt(start + 2) === 93 &&
      ' \txX'.includes(text[start + 1]!) &&
      this.isSpaceOrEnd(start + 3, end)
    ) {
      this.set(Construct.task, skipSpaces(text, start + 3, end) === end ? 1 : 0, 3)
      return
    }
    const close = findLabelEnd(text, start, end)
    if (close < 0 || close + 1 >= end || text.charCodeAt(close + 1) !== 58) return
    if (first === 94 && close > start + 2 && !/[ \t]/.test(text.slice(start, close))) {
      this.set(Construct.footnote, 0, close + 2 - start)
    } else {
      this.set(Construct.label, 0, close + 2 - start)
    }
  }

  /**
   *     thematic-break = ("-" white-space*){3,} | ("*" white-space*){3,} | ("_" white-space*){3,}
   * (whole line)
   */
  private isThematicBreak(code: number, start: number, end: number): boolean {
    if (start < (code === 45 ? this.dashStop : code === 42 ? this.starStop : 0)) return false
    let marks = 0
    let offset = start
    for (; offset < end; offset++) {
      const other = this.text.charCodeAt(offset)
      if (other === code) marks++
      else if (other !== 32 && other !== 9) break
    }
    if (offset === end) return marks >= 3
    if (code === 45) this.dashStop = offset
    else if (code === 42) this.starStop = offset
    return false
  }

  private isDigit(offset: number): boolean {
    const code = this.text.charCodeAt(offset)
    return code >= 48 && code <= 57
  }

  private isSpaceOrEnd(offset: number, end: number): boolean {
    if (offset >= end) return true
    const code = this.text.charCodeAt(offset)
    return code === 32 || code === 9
  }
}

/** Offset of the `]` that ends the label opened at `start`; -1 if there is none before `end`. */
function findLabelEnd(text: string, start: number, end: number): number {
  const limit = Math.min(end, start + LONGEST_LABEL + 3)
  for (let offset = start + 1; offset < limit; offset++) {
    const code = text.charCodeAt(offset)
    if (code === 93) return offset
    if (code === 91) return -1
    if (code === 92 && offset + 1 < limit && '[\\]'.includes(text[offset + 1]!)) offset++
  }
  return -1
}

const SPECIAL = new Uint8Array(127)
for (const mark of '#>-*+_=`~<[]|:0123456789') SPECIAL[mark.charCodeAt(0)] = 1
