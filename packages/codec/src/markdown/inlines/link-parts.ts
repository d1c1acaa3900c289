import { skipSpaces } from '../table-row.ts'

/** Longest label of a definition or reference (CommonMark 0.31, 4.7). */
const LONGEST_LABEL = 999

/**
 * Reads the parts of links and definitions in a text whose lines end in `\n`. An instance remembers
 * what it found, so that all calls together take linear time if their offsets ascend.
 *
 *     label       = "[" text of 1 to 999 characters without unescaped brackets, not blank "]"
 *     destination = "<" text ">" | text without white space, with balanced parentheses
 *     title       = '"' text '"' | "'" text "'" | "(" text ")"
 */
export class LinkParts {
  readonly text: string
  /** The next place of each closer that was searched, from the last search on. */
  private readonly closers = new Map<string, { from: number; at: number }>()
  private blankStart = 0
  private blankEnd = 0

  constructor(text: string) {
    this.text = text
  }

  /** First offset from `from` that is not at a space, tab or end of line. */
  skipBlank(from: number): number {
    if (from >= this.blankStart && from < this.blankEnd) return this.blankEnd
    let offset = from
    while (isBlank(this.text.charCodeAt(offset))) offset++
    this.blankStart = from
    this.blankEnd = offset
    return offset
  }

  /** Offset of `closer`, at or after `from`; -1 if there is none. A title's is not escaped. */
  find(closer: string, from: number, escapable = false): number {
    const last = this.closers.get(closer)
    if (last !== undefined && last.from <= from && (last.at < 0 || last.at >= from)) return last.at
    let next = this.text.indexOf(closer, from)
    while (escapable && next >= 0 && this.isEscaped(next, from)) next = this.text.indexOf(closer, next + 1)
    this.closers.set(closer, { from, at: next })
    return next
  }

  /** Offset of the `]` that ends the label that `[` opens at an offset; -1 if there is none. */
  labelClose(open: number): number {
    const { text } = this
    let seen = false
    let size = 0
    for (let offset = open + 1; size <= LONGEST_LABEL; offset++) {
      const code = text.charCodeAt(offset)
      if (code === 93) return seen ? offset : -1
      if (code === 91 || offset >= text.length) return -1
      if (code === 10) continue
      size++
      seen ||= !isBlank(code)
      if (code !== 92) continue
      const next = text.charCodeAt(offset + 1)
      if (next < 91 || next > 93 || Number.isNaN(next)) continue
      size++
      offset++
    }
    return -1
  }

  /**
   * End of the destination at an offset; -1 if it is malformed.
   * @param depth Most parentheses within each other.
   */
  destinationEnd(start: number, depth: number): number {
    const { text } = this
    if (text.charCodeAt(start) === 60) return this.enclosedEnd(start)
    let open = 0
    for (let offset = start; ; offset++) {
      const code = text.charCodeAt(offset)
      if (open === 0 && (code === 41 || isBlank(code) || offset >= text.length))
        return offset === start ? -1 : offset
      // NUL is not a control character here, because it represents U+FFFD.
      if (offset >= text.length || isBlank(code) || code === 127 || (code < 32 && code !== 0)) return -1
      if (code === 41) open--
      else if (code === 40 && ++open > depth) return -1
      else if (code === 92 && isOneOf(text.charCodeAt(offset + 1), 40, 41)) offset++
    }
  }

  /** End of the title at an offset; -1 if there is none. */
  titleEnd(start: number): number {
    const open = this.text[start]
    if (open !== '"' && open !== "'" && open !== '(') return -1
    return this.find(open === '(' ? ')' : open, start + 1, true) + 1 || -1
  }

  private enclosedEnd(start: number): number {
    const { text } = this
    for (let offset = start + 1; offset < text.length; offset++) {
      const code = text.charCodeAt(offset)
      if (code === 62) return offset + 1
      if (code === 60 || code === 10) return -1
      if (code === 92 && isOneOf(text.charCodeAt(offset + 1), 60, 62)) offset++
    }
    return -1
  }

  /** Whether an odd number of backslashes, from `from` on, precedes an offset. */
  private isEscaped(offset: number, from: number): boolean {
    let start = offset
    while (start > from && this.text.charCodeAt(start - 1) === 92) start--
    return (offset - start) % 2 === 1
  }
}

/** The form in which labels are equal if they name the same definition. */
export function normalizeLabel(label: string): string {
  return label
    .replace(/[\t\n\r ]+/g, ' ')
    .replace(/^ | $/g, '')
    .toLowerCase()
    .toUpperCase()
}

/** How a set of labels holds that of a footnote, which no label of a link equals. */
export function footnoteLabel(label: string): string {
  return `[^${label}`
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9 || code === 10
}

function isOneOf(code: number, first: number, second: number): boolean {
  return code === first || code === second || code === 92
}

/** The content of line i is `[starts[i], ends[i])`, after the markers of containers. */
export interface ContentLines {
  readonly text: string
  readonly starts: Uint32Array
  readonly ends: Uint32Array
}

/** A link reference definition; offsets are in the text of its lines, joined by `\n`. */
export interface DefinitionParts {
  /** Offset of the `]` after its label, which starts at `start`. */
  readonly close: number
  readonly start: number
  readonly from: number
  readonly to: number
  /** Both equal `end` if there is no title. */
  readonly titleFrom: number
  readonly titleTo: number
  /** End of its last line. */
  readonly end: number
}

/** How many lines begin a paragraph as definitions (CommonMark 0.31, 4.7). */
export function readDefinitions(lines: ContentLines, from: number, to: number): number {
  const content = joinLines(lines, from, to)
  let end = -1
  for (const definition of eachDefinition(content)) end = definition.end
  if (end < 0) return 0
  let count = 1
  for (let at = content.indexOf('\n'); at >= 0 && at < end; at = content.indexOf('\n', at + 1)) count++
  return count
}

/** Joins the content of the lines `[from, to)` by `\n`. */
export function joinLines({ text, starts, ends }: ContentLines, from: number, to: number): string {
  return Array.from({ length: to - from }, (_, index) =>
    text.slice(starts[from + index], ends[from + index]),
  ).join('\n')
}

/**
 * Reads the definitions at the start of the text of a paragraph. Takes linear time: a definition is
 * read once, and its title at most once more.
 *
 *     definition = label ":" white-space* destination (white-space+ title)? end-of-line
 *
 * White space includes at most one end of line.
 */
export function* eachDefinition(content: string): Generator<DefinitionParts, void, undefined> {
  const parts = new LinkParts(content)
  for (let at = 0; at < content.length;) {
    const definition = readDefinition(parts, skipSpaces(content, at, content.length))
    if (definition === undefined) return
    yield definition
    at = definition.end + 1
  }
}

function readDefinition(parts: LinkParts, start: number): DefinitionParts | undefined {
  const { text } = parts
  const close = text[start] === '[' ? parts.labelClose(start) : -1
  if (close < 0 || text[close + 1] !== ':') return undefined
  const from = parts.skipBlank(close + 2)
  const to = parts.destinationEnd(from, Infinity)
  if (to < 0) return undefined
  const titleFrom = parts.skipBlank(to)
  const titleTo = titleFrom > to ? parts.titleEnd(titleFrom) : -1
  const titleEnd = titleTo < 0 ? -1 : lineEnd(text, titleTo)
  if (titleEnd >= 0) return { start, close, from, to, titleFrom, titleTo, end: titleEnd }
  const end = lineEnd(text, to)
  return end < 0 ? undefined : { start, close, from, to, titleFrom: end, titleTo: end, end }
}

/** End of the line at an offset if only spaces precede it; else -1. */
function lineEnd(text: string, start: number): number {
  const end = skipSpaces(text, start, text.length)
  return end === text.length || text[end] === '\n' ? end : -1
}
