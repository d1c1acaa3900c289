import type { Pieces } from '@packs/codec/tokens'
import type { Cell } from './align-rows.ts'
import { findCut } from '../inspect/cut-text.ts'
import { join, markup, type Markup } from './markup.ts'

/** A text, its pieces, and the class of each of its entries. */
export interface CellText {
  readonly text: string
  readonly pieces: Pieces
  /** Class of the entry with an index; empty where it is not shown. */
  readonly classOf: (entry: number) => string
  /** Called once for each use that is written; gives an id for it or nothing. */
  readonly nameUse: (entry: number) => string
}

/** Most units of a use that are shown. */
const SHOWN = 2000

/** Renders a part of a text: its entries marked, and in them and around them what takes many tokens. */
export function renderCell({ from, to, marks }: Cell, cell: CellText): Markup {
  const { text, classOf, nameUse } = cell
  const parts: Markup[] = []
  let at = from
  for (const mark of marks) {
    parts.push(renderPieces(at, mark.from, cell))
    const shown = mark.to - mark.from > SHOWN ? findCut(text, mark.from + SHOWN) : mark.to
    const inner = [renderPieces(mark.from, shown, cell), markup`${shown < mark.to ? '…' : ''}`]
    const id = nameUse(mark.entry)
    parts.push(
      id === ''
        ? markup`<b class="m ${classOf(mark.entry)}">${inner}</b>`
        : markup`<b class="m ${classOf(mark.entry)}" id="${id}">${inner}</b>`,
    )
    at = mark.to
  }
  parts.push(renderPieces(at, Math.max(at, findVisibleEnd(text, at, to)), cell))
  return join(parts)
}

/** A row is a line already: its end is not written. */
function findVisibleEnd(text: string, from: number, to: number): number {
  if (to <= from || text[to - 1] !== '\n') return to
  return to - 1 > from && text[to - 2] === '\r' ? to - 2 : to - 1
}

function renderPieces(from: number, to: number, { text, pieces: { ends, counts } }: CellText): Markup {
  const parts: Markup[] = []
  let at = from
  let piece = findPiece(ends, from)
  let start = piece === 0 ? 0 : ends[piece - 1]!
  while (start < to && piece < ends.length) {
    const level = judgeCost(counts[piece]!, ends[piece]! - start)
    const begin = Math.max(start, from)
    // Neighbours of one level are one element.
    do start = ends[piece++]!
    while (start < to && piece < ends.length && judgeCost(counts[piece]!, ends[piece]! - start) === level)
    if (level === 0) continue
    const end = Math.min(start, to)
    parts.push(markup`${text.slice(at, begin)}<i class="t${level}">${text.slice(begin, end)}</i>`)
    at = end
  }
  parts.push(markup`${text.slice(at, to)}`)
  return join(parts)
}

/** How dear a piece is, from 0 for one that is a single token, up to 3. */
function judgeCost(tokens: number, units: number): 0 | 1 | 2 | 3 {
  if (tokens < 2) return 0
  if (3 * tokens <= units) return 1
  return 2 * tokens <= units ? 2 : 3
}

/** Index of the piece that a place is in. */
function findPiece(ends: Uint32Array, at: number): number {
  let low = 0
  let high = ends.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (ends[middle]! <= at) low = middle + 1
    else high = middle
  }
  return low
}
