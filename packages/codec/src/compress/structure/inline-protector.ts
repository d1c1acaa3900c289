import { CodeSpans } from './code-spans.ts'
import { findText, readResourceEnd, readTagEnd, readUrlEnd } from './inline-spans.ts'
import { isRowKind, LineKind, type LineTable } from './line-table.ts'
import { addPipes, type RangeList } from './range-list.ts'

/**
 * Finds what a reader needs untouched inside the text of blocks: code spans, URLs, link destinations, reference labels,
 * footnote calls, HTML tags. An approximation of inline markdown: no structure of lines depends on it.
 */
export class InlineProtector {
  private readonly table: LineTable
  private readonly codeSpans: CodeSpans
  private readonly labels: ReadonlySet<string>
  /** Spans of the block last read, rising; the next to report. */
  private readonly spans: number[] = []
  private span = 0
  private lineAfterBlock = 0

  constructor(table: LineTable) {
    this.table = table
    this.codeSpans = new CodeSpans(table.text)
    this.labels = collectLabels(table)
  }

  /** Adds the protected parts of the body of a line; call it for lines in rising order. */
  protectLine(line: number, ranges: RangeList): void {
    const { text, kinds, bodyStarts, bodyEnds } = this.table
    if (line >= this.lineAfterBlock) this.readBlock(line)
    const end = bodyEnds[line]!
    let offset = bodyStarts[line]!
    const isRow = isRowKind(kinds[line]!)
    const { spans } = this
    while (offset < end) {
      while (this.span < spans.length && spans[this.span + 1]! <= offset) this.span += 2
      const start = this.span < spans.length ? Math.max(offset, Math.min(spans[this.span]!, end)) : end
      if (isRow) addPipes(text, offset, start, ranges)
      if (start === end) break
      offset = Math.min(spans[this.span + 1]!, end)
      ranges.add(start, offset)
    }
  }

  /** Reads the text of the block that begins at a line: all lines of a paragraph, one line of other blocks. */
  private readBlock(line: number): void {
    const { kinds, count, bodyStarts, bodyEnds } = this.table
    const kind = kinds[line]!
    let last = line
    if (kind === LineKind.paragraph || kind === LineKind.headingText || kind === LineKind.htmlInside) {
      while (last + 1 < count && kinds[last + 1] === kind) last++
    }
    this.lineAfterBlock = last + 1
    this.span = 0
    this.spans.length = 0
    this.readSpans(bodyStarts[line]!, bodyEnds[last]!)
  }

  private readSpans(start: number, end: number): void {
    const { text } = this.table
    this.codeSpans.load(start, end)
    let open = -1
    let offset = start
    while (offset < end) {
      const code = text.charCodeAt(offset)
      if (code > 126 || MARKS[code] === 0) {
        offset++
        continue
      }
      let spanEnd = -1
      let spanStart = offset
      if (code === 92) spanEnd = -2
      else if (code === 96) spanEnd = this.codeSpans.findEnd(offset)
      else if (code === 60) spanEnd = readTagEnd(text, offset, end)
      else if (code === 91) open = offset
      else if (code === 93) {
        spanEnd = this.readBracketEnd(open, offset, end)
        if (spanEnd === offset + 1) spanStart = open
        open = -1
      } else if (isUrlStart(text, offset, start)) spanEnd = readUrlEnd(text, offset, end)
      if (spanEnd > offset) {
        this.spans.push(spanStart, Math.min(spanEnd, end))
        offset = spanEnd
      } else if (spanEnd === -2) offset += 2
      else offset += code === 96 ? this.codeSpans.runLength(offset) : 1
    }
  }

  /** End of what belongs to a `]`: a destination, a label, or the bracket itself of a shortcut reference; else -1. */
  private readBracketEnd(open: number, close: number, end: number): number {
    const { text } = this.table
    const next = close + 1 < end ? text.charCodeAt(close + 1) : 0
    if (next === 40) return readResourceEnd(text, close + 1, end)
    if (next === 91) {
      const labelEnd = findText(text, ']', close + 2, Math.min(end, close + LONGEST_LABEL + 3))
      if (labelEnd > close + 2) return labelEnd + 1
    }
    if (open < 0) return -1
    if (text.charCodeAt(open + 1) === 94) return close + 1
    return this.labels.size > 0 && this.labels.has(normalizeLabel(text.slice(open + 1, close)))
      ? close + 1
      : -1
  }
}

function collectLabels(table: LineTable): ReadonlySet<string> {
  const { text, kinds, count, starts, ends } = table
  const labels = new Set<string>()
  for (let line = 0; line < count; line++) {
    if (kinds[line] !== LineKind.definition) continue
    const content = text.slice(starts[line], Math.min(ends[line]!, starts[line]! + 2 * LONGEST_LABEL))
    const open = content.indexOf('[')
    const close = content.indexOf(']:', open)
    if (open >= 0 && close > open) labels.add(normalizeLabel(content.slice(open + 1, close)))
  }
  return labels
}

function normalizeLabel(label: string): string {
  return label.length > LONGEST_LABEL ? '' : label.trim().replace(/\s+/g, ' ').toLowerCase()
}

function isUrlStart(text: string, offset: number, start: number): boolean {
  if (offset > start && isWordCode(text.charCodeAt(offset - 1))) return false
  return URL_STARTS.some((part) => text.startsWith(part, offset))
}

function isWordCode(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
}

const LONGEST_LABEL = 999
const URL_STARTS = ['https://', 'http://', 'www.', 'ftp://', 'mailto:']
const MARKS = new Uint8Array(127)
for (const mark of '\\`<[]hwfm') MARKS[mark.charCodeAt(0)] = 1
