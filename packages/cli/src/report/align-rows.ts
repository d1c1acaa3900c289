import type { Pieces } from '@packs/codec/tokens'
import { findCutOffset } from '../measure/truncate-text.ts'
import type { Occurrence } from '../measure/find-occurrences.ts'

/** A part of a text, in UTF-16 units. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** An occurrence of an entry in a row. */
export interface Mark extends Span {
  /** Index of the entry in the header. */
  readonly entry: number
}

/** One side of a row: its part of the text and the occurrences of entries in it. */
export interface Cell extends Span {
  readonly marks: readonly Mark[]
}

/** A line of the source and the corresponding content; several lines if the expansion of an entry spans them. */
export interface Row {
  readonly source: Cell
  readonly content: Cell
}

/** Longest row in UTF-16 units, so that a text without line ends is cut too. */
const MAX_ROW_LENGTH = 2000
/** How far past the limit a space to cut at is searched for, in UTF-16 units. */
const SPACE_SEARCH_LENGTH = 100

/**
 * Cuts a source and the content that decodes to it into corresponding rows, at each line end outside of an occurrence.
 *
 * @param occurrences all occurrences of entries in the content, in order
 * @param lengths length of each entry's full expansion, in UTF-16 units
 */
export function alignRows(
  content: string,
  occurrences: readonly Occurrence[],
  lengths: readonly number[],
): Row[] {
  const rows: Row[] = []
  let row = startRow(0, 0)
  let offset = 0
  let line = -1
  const endRow = (at: number): void => {
    if (at === row.content.from) return
    rows.push({ source: { ...row.source, to: at + offset }, content: { ...row.content, to: at } })
    row = startRow(at + offset, at)
  }
  const addText = (from: number, to: number): void => {
    for (let at = from; at < to;) {
      if (line < at) line = findLineEnd(content, at)
      const end = Math.min(line + 1, to)
      at = findRowEnd(content, Math.max(at, row.content.from + MAX_ROW_LENGTH), end)
      if (at < end || at === line + 1) endRow(at)
    }
  }
  let at = 0
  for (const { entry, start, end } of occurrences) {
    addText(at, start)
    if (start + offset - row.source.from > MAX_ROW_LENGTH) endRow(start)
    const from = start + offset
    const to = from + lengths[entry]!
    row.content.marks.push({ entry, from: start, to: end })
    row.source.marks.push({ entry, from, to })
    offset = to - end
    at = end
  }
  addText(at, content.length)
  endRow(content.length)
  return rows
}

interface OpenCell {
  readonly from: number
  readonly marks: Mark[]
}

function startRow(
  source: number,
  content: number,
): { readonly source: OpenCell; readonly content: OpenCell } {
  return { source: { from: source, marks: [] }, content: { from: content, marks: [] } }
}

function findLineEnd(text: string, from: number): number {
  const at = text.indexOf('\n', from)
  return at < 0 ? text.length : at
}

/** Returns the offset after the next space, or `from` if there is no space nearby. */
function findRowEnd(text: string, from: number, end: number): number {
  if (from >= end) return end
  const near = text.slice(from, Math.min(end, from + SPACE_SEARCH_LENGTH)).indexOf(' ')
  return near < 0 ? findCutOffset(text, from) : from + near + 1
}

/** Counts the tokens of each span of a text; a piece counts for the span that it begins in. */
export function countTokensBySpan({ ends, counts }: Pieces, spans: readonly Span[]): number[] {
  let piece = 0
  let start = 0
  return spans.map(({ to }) => {
    let tokens = 0
    while (piece < ends.length && start < to) {
      tokens += counts[piece]!
      start = ends[piece++]!
    }
    return tokens
  })
}
