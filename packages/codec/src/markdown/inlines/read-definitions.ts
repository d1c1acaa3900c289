import { LinkParts } from './link-parts.ts'
import { skipSpaces } from '../table-row.ts'

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
