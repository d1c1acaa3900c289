import { CodeSpans, countBackticks } from '../inlines/inline-html.ts'
import { isFencedKind, LineKind, type LineTable } from '../line-table.ts'
import { scanLines } from '../scan-lines.ts'
import type { Region } from './verbatim-regions.ts'

/**
 * Finds the program text in MDX: imports and exports, JSX tags with their attributes, and
 * expressions in braces. The markdown between two tags is not part of a region. Takes linear time
 * for every string. Fenced code and code spans contain no regions, and unclosed tags and braces are
 * not regions. Regions are in order and disjoint.
 */
export function findMdxRegions(text: string): Region[] {
  return new MdxScanner(text).scan()
}

interface Frame {
  readonly kind: 'esm' | 'tag' | 'expression'
  readonly start: number
}

/** Longest quoted text; bounds the search for its end. */
const LONGEST_QUOTE = 4096

class MdxScanner {
  private readonly text: string
  private readonly lines: LineTable
  private readonly frames: Frame[] = []
  private readonly regions: Region[] = []
  /** The code spans of the paragraph up to an offset. */
  private spans: CodeSpans | undefined
  private spansEnd = 0
  /** Next end of a comment from the last search on; -1 if there is none, -2 before the first. */
  private commentEnd = -2

  constructor(text: string) {
    this.text = text
    this.lines = scanLines(text, { frontMatter: false })
  }

  scan(): Region[] {
    const { lines, frames, text } = this
    let next = 0
    for (let line = 0; line < lines.count; line++) {
      const start = lines.starts[line]!
      const end = lines.ends[line]!
      if (start === end || this.isBlank(line)) this.endParagraph(start)
      else if (frames.length > 0 || !isFencedKind(lines.kinds[line]!)) {
        const isFirst = line === 0 || lines.kinds[line - 1] !== LineKind.paragraph
        ESM.lastIndex = start
        if (isFirst && frames.length === 0 && next <= start && ESM.test(text))
          frames.push({ kind: 'esm', start })
        for (let at = Math.max(start, next); at < end; at = next) next = this.readUnit(at, line)
      }
    }
    this.endParagraph(text.length)
    return joinRegions(this.regions)
  }

  private isBlank(line: number): boolean {
    return this.lines.kinds[line] === LineKind.blank
  }

  /** Closes imports and exports and gives up tags at a blank line outside of expressions. */
  private endParagraph(offset: number): void {
    const { frames } = this
    while (frames.at(-1)?.kind === 'tag') frames.pop()
    if (frames.at(-1)?.kind !== 'esm') return
    this.regions.push({ start: frames.pop()!.start, end: offset })
  }

  private readUnit(at: number, line: number): number {
    const { text, frames } = this
    const top = frames.at(-1)?.kind
    switch (text[at]) {
      case '\\':
        return at + 2
      case '`':
        return top === undefined ? this.skipCodeSpan(at, line) : skipQuote(text, at, true)
      case '"':
      case "'":
        return top === undefined ? at + 1 : skipQuote(text, at, top === 'tag')
      case '/':
        return top === 'expression' && text[at + 1] === '*' ? this.skipComment(at) : at + 1
      case '{':
        frames.push({ kind: 'expression', start: at })
        return at + 1
      case '}':
        if (top === 'expression') this.close(at + 1)
        return at + 1
      case '<':
        if (top === 'tag') frames.pop()
        if (top === 'tag' || top === undefined) this.openTag(at)
        return at + 1
      case '>':
        if (top === 'tag') this.close(at + 1)
        return at + 1
      default:
        return at + 1
    }
  }

  private close(end: number): void {
    this.regions.push({ start: this.frames.pop()!.start, end })
  }

  private openTag(start: number): void {
    TAG.lastIndex = start
    if (TAG.test(this.text)) this.frames.push({ kind: 'tag', start })
  }

  private skipCodeSpan(at: number, line: number): number {
    if (this.spans === undefined || at >= this.spansEnd) {
      let last = line
      while (last + 1 < this.lines.count && !this.isBlank(last + 1)) last++
      this.spansEnd = this.lines.ends[last]!
      this.spans = new CodeSpans(this.text, this.spansEnd)
    }
    const end = this.spans.findEnd(at)
    return end < 0 ? at + countBackticks(this.text, at) : end
  }

  private skipComment(at: number): number {
    if (this.commentEnd !== -1 && this.commentEnd < at + 2) this.commentEnd = this.text.indexOf('*/', at + 2)
    return this.commentEnd === -1 ? at + 2 : this.commentEnd + 2
  }
}

/** The start of imports and exports, at the start of a line. */
const ESM = /(?:import|export)(?=[\s{*"'])/y
/** The start of a tag, followed by a name, a slash, or the end of a fragment's tag. */
const TAG = /<(?=[\p{L}$_/>])/uy

/** End of the quoted text at an offset; the offset after the opening quote if nothing closes it. */
function skipQuote(text: string, start: number, mayHoldLines: boolean): number {
  const limit = Math.min(text.length, start + LONGEST_QUOTE)
  for (let at = start + 1; at < limit; at++) {
    const unit = text[at]!
    if (unit === text[start]) return at + 1
    if (unit === '\\') at++
    else if ((unit === '\n' || unit === '\r') && !mayHoldLines) break
  }
  return start + 1
}

/** Sorts regions and joins overlapping ones: an expression contains those inside it. */
export function joinRegions(regions: readonly Region[]): Region[] {
  const joined: { start: number; end: number }[] = []
  for (const { start, end } of regions.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = joined.at(-1)
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end)
    else joined.push({ start, end })
  }
  return joined
}
