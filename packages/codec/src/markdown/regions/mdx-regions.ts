import { CodeSpans } from '../inline-spans.ts'
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
  return new MdxScanner(text, true).scan()
}

/**
 * Finds everything in lines of markdown that is not prose: code spans, HTML and JSX tags with their
 * attributes and expressions in braces, destinations and titles of links, shortcodes, formulas and
 * comments. Takes linear time for every string. Regions are in order and disjoint.
 */
export function findMarkupRegions(text: string): Region[] {
  return new MdxScanner(text, false).scan()
}

interface Frame {
  readonly kind: 'esm' | 'tag' | 'expression'
  readonly start: number
}

/** Openers of inline constructs that are not prose, each with its closer. */
const INLINE = [
  ['](', ')'],
  ['{{', '}}'],
  ['{%', '%}'],
  ['$$', '$$'],
  ['<!--', '-->'],
] as const

/** Longest quoted text; bounds the search for its end. */
const LONGEST_QUOTE = 4096

class MdxScanner {
  private readonly text: string
  /** Whether imports, exports and expressions are regions. If not, code spans are. */
  private readonly isMdx: boolean
  private readonly lines: LineTable
  private readonly spans: CodeSpans
  private readonly frames: Frame[] = []
  private readonly regions: Region[] = []
  /** End of the paragraph whose code spans are loaded. */
  private loadedEnd = 0
  /** The next offset of each closer of {@link INLINE} searched so far; -1 if there is none. */
  private readonly closers = new Map<string, number>()
  private innerEnd = 0
  /**
   * First end of a comment at or after the offset of the last search; -1 if there is none, -2
   * before the first.
   */
  private commentEnd = -2

  constructor(text: string, isMdx: boolean) {
    this.text = text
    this.isMdx = isMdx
    this.lines = scanLines(text, { frontMatter: false })
    this.spans = new CodeSpans(text)
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
        if (this.isMdx && isFirst && frames.length === 0 && next <= start && ESM.test(text))
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
    if (!this.isMdx && frames.length > 0) {
      this.regions.push({ start: frames[0]!.start, end: offset })
      frames.length = 0
    }
    while (frames.at(-1)?.kind === 'tag') frames.pop()
    if (frames.at(-1)?.kind !== 'esm') return
    this.regions.push({ start: frames.pop()!.start, end: offset })
  }

  private readUnit(at: number, line: number): number {
    const { text, frames } = this
    const code = text.charCodeAt(at)
    const top = frames.at(-1)?.kind
    const end = this.isMdx || top !== undefined ? -1 : this.findInlineEnd(at, line)
    if (end >= 0) {
      this.regions.push({ start: at, end })
      return end
    }
    switch (code) {
      case 92: // \
        return at + 2
      case 96: // `
        return top === undefined ? this.skipCodeSpan(at, line) : this.skipQuote(at, line, true)
      case 34: // "
      case 39: // '
        return top === undefined ? at + 1 : this.skipQuote(at, line, top === 'tag')
      case 47: // /
        return top === 'expression' && text.charCodeAt(at + 1) === 42 ? this.skipComment(at) : at + 1
      case 123: // {
        if (this.isMdx || top !== undefined) frames.push({ kind: 'expression', start: at })
        return at + 1
      case 125: // }
        if (top === 'expression') this.close(at + 1)
        return at + 1
      case 60: // <
        if (top === 'tag') this.giveUpTag(at)
        if (top === 'tag' || top === undefined) this.openTag(at)
        return at + 1
      case 62: // >
        if (top === 'tag') this.close(at + 1)
        return at + 1
      default:
        return at + 1
    }
  }

  /**
   * End of the link destination, shortcode, formula or comment that starts at an offset, within its
   * paragraph; -1 if there is none.
   */
  private findInlineEnd(at: number, line: number): number {
    const { text, closers } = this
    for (const [opener, closer] of INLINE) {
      if (!text.startsWith(opener, at)) continue
      const from = at + opener.length
      let found = closers.get(closer) ?? -2
      if (found !== -1 && found < from) closers.set(closer, (found = text.indexOf(closer, from)))
      return found >= 0 && found < this.findInnerEnd(at, line) ? found + closer.length : -1
    }
    return -1
  }

  private close(end: number): void {
    this.regions.push({ start: this.frames.pop()!.start, end })
  }

  /**
   * A tag that nothing closes is text. In markdown it is still a region, because it may hide a code
   * span.
   */
  private giveUpTag(end: number): void {
    const { start } = this.frames.pop()!
    if (!this.isMdx) this.regions.push({ start, end })
  }

  private openTag(start: number): void {
    TAG.lastIndex = start
    if (TAG.test(this.text)) this.frames.push({ kind: 'tag', start })
  }

  private skipCodeSpan(at: number, line: number): number {
    if (at >= this.loadedEnd) {
      this.loadedEnd = this.findParagraphEnd(line)
      this.spans.load(at, this.loadedEnd)
    }
    const end = this.spans.findEnd(at)
    if (end < 0) return at + this.spans.runLength(at)
    if (!this.isMdx) this.regions.push({ start: at, end })
    return end
  }

  private findParagraphEnd(line: number): number {
    let last = line
    while (last + 1 < this.lines.count && !this.isBlank(last + 1)) last++
    return this.lines.ends[last]!
  }

  /** In markdown, quotes in a tag end within its paragraph. */
  private skipQuote(at: number, line: number, mayHoldLines: boolean): number {
    const { text, isMdx } = this
    return skipQuote(text, at, mayHoldLines, isMdx ? text.length : this.findInnerEnd(at, line))
  }

  /**
   * End of the paragraph, which bounds quotes and inline constructs; computed once per paragraph.
   */
  private findInnerEnd(at: number, line: number): number {
    if (at >= this.innerEnd) this.innerEnd = this.findParagraphEnd(line)
    return this.innerEnd
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
function skipQuote(text: string, start: number, mayHoldLines: boolean, end: number): number {
  const quote = text.charCodeAt(start)
  const limit = Math.min(end, start + LONGEST_QUOTE)
  for (let at = start + 1; at < limit; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) return at + 1
    if (code === 92) at++
    else if ((code === 10 || code === 13) && !mayHoldLines) break
  }
  return start + 1
}

/** Sorts regions and joins overlapping ones: an expression contains those inside it. */
function joinRegions(regions: readonly Region[]): Region[] {
  const joined: { start: number; end: number }[] = []
  for (const { start, end } of regions.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = joined.at(-1)
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end)
    else joined.push({ start, end })
  }
  return joined
}
