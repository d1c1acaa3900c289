import { type Html, type MarkedPart, markup, renderMarked, type TermLinks } from '@packs/codec/theme'
import type { Pieces } from '@packs/codec/tokens'
import { formatCount } from '../output/terminal.ts'
import type { ReportModel, ReportRow } from './report-model.ts'

/** How much HTML a pack may take, so that a browser can handle the page. */
export interface RenderBudget {
  readonly elements: number
  /** Length of the HTML in UTF-16 units. */
  readonly units: number
}

/** Rows per group; a browser lays out a group only when it comes into view. */
export const ROWS_PER_GROUP = 24

/**
 * Renders source and content side by side, up to the budget of rows.
 *
 * @param assignId returns an id for an occurrence in the source, or an empty string
 */
export function renderRows(
  model: ReportModel,
  budget: RenderBudget,
  assignId: (entry: number) => string,
): Html {
  const { rows } = model
  const texts = createTexts(model, assignId)
  const groups: Html[] = []
  let [elements, units, shown] = [budget.elements, budget.units, 0]
  while (shown < rows.length && elements > 0 && units > 0) {
    const group: Html[] = []
    for (const row of rows.slice(shown, shown + ROWS_PER_GROUP)) {
      const markup = renderRow(row, texts)
      elements -= countElements(markup)
      units -= String(markup).length
      group.push(markup)
      if (elements <= 0 || units <= 0) break
    }
    shown += group.length
    groups.push(markup`<div class="g" role="rowgroup">${group}</div>
`)
  }
  const omitted = rows.length - shown
  return markup`<div class="rows" role="table" aria-label="Source and content of ${model.pack.slug}, line by line">
<div class="r heads" role="row"><div role="columnheader">Source</div><div role="columnheader">Content</div></div>
${groups}</div>
${omitted > 0 ? renderTruncationNote(shown, rows.length) : ''}`
}

interface Texts {
  readonly source: CellText
  readonly content: CellText
}

function createTexts(
  { pack, source, sourcePieces, contentPieces, ranks }: ReportModel,
  assignId: (entry: number) => string,
): Texts {
  const rankOf = (entry: number): number => ranks[entry]!
  return {
    source: { text: source, pieces: sourcePieces, rankOf, assignId },
    content: { text: pack.content, pieces: contentPieces, rankOf, assignId: () => '' },
  }
}

function renderRow({ source, content, sourceTokens, contentTokens }: ReportRow, texts: Texts): Html {
  const isSame = source.marks.length === 0
  const kind = isSame ? 'r same' : 'r'
  const [left, right] = [renderCell(source, texts.source), renderCell(content, texts.content)]
  return markup`<div class="${kind}" role="row">
<div class="c s h${decideHeat(sourceTokens)}" role="cell" data-n="${sourceTokens}">${left}</div>
<div class="c h${decideHeat(contentTokens)}" role="cell" data-n="${contentTokens}">${right}</div>
</div>
`
}

/** Most tokens of a line for each shade. */
export const HEAT_LIMITS: readonly number[] = [0, 9, 24, 49, 99]

function decideHeat(tokens: number): number {
  const level = HEAT_LIMITS.findIndex((limit) => tokens <= limit)
  return level < 0 ? HEAT_LIMITS.length : level
}

/** Counts the elements of markup by their end tags, which every element here has. */
export function countElements(markup: Html): number {
  const text = String(markup)
  let count = 0
  for (let at = text.indexOf('</'); at >= 0; at = text.indexOf('</', at + 2)) count++
  return count
}

function renderTruncationNote(shown: number, all: number): Html {
  const count = `${formatCount(shown)} of ${formatCount(all)}`
  return markup`<p class="rest">These are the first ${count} lines; a page with all of them would be too large for a browser. The figures cover the whole pack, and <code>pack decode</code> prints the whole source.</p>
`
}

/** A text, its pieces, and how its entries are marked. */
export interface CellText {
  readonly text: string
  readonly pieces: Pieces
  readonly rankOf: (entry: number) => number
  /** Called once for each rendered occurrence; returns its id or an empty string. */
  readonly assignId: (entry: number) => string
}

const LINKS: TermLinks = { prefix: '', isLinked: false }

/** Renders one side of a row with its entries and its words of several tokens marked. */
export function renderCell({ from, to, marks }: MarkedPart, cell: CellText): Html {
  const { text, rankOf, assignId } = cell
  const part = { from, to: findVisibleEnd(text, marks.at(-1)?.to ?? from, to), marks }
  return renderMarked(text, part, {
    links: LINKS,
    renderText: (start, end) => renderPieces(start, end, cell),
    rankOf,
    assignId,
  })
}

/** Excludes the line end, because each row is a line of its own. */
function findVisibleEnd(text: string, from: number, to: number): number {
  if (to <= from || text[to - 1] !== '\n') return to
  return to - 1 > from && text[to - 2] === '\r' ? to - 2 : to - 1
}

function renderPieces(from: number, to: number, { text, pieces: { ends, counts } }: CellText): Html {
  const parts: Html[] = []
  let at = from
  let piece = findPiece(ends, from)
  let start = piece === 0 ? 0 : ends[piece - 1]!
  while (start < to && piece < ends.length) {
    const level = decideCostLevel(counts[piece]!, ends[piece]! - start)
    const begin = Math.max(start, from)
    // Adjacent pieces of the same level share an element.
    do start = ends[piece++]!
    while (
      start < to &&
      piece < ends.length &&
      decideCostLevel(counts[piece]!, ends[piece]! - start) === level
    )
    if (level === 0) continue
    const end = Math.min(start, to)
    parts.push(markup`${text.slice(at, begin)}<i class="t${level}">${text.slice(begin, end)}</i>`)
    at = end
  }
  parts.push(markup`${text.slice(at, to)}`)
  return markup`${parts}`
}

/**
 * Returns 0 for a piece of a single token, else 1 to 3: the fewer characters per token, the higher.
 */
function decideCostLevel(tokens: number, units: number): 0 | 1 | 2 | 3 {
  if (tokens < 2) return 0
  if (3 * tokens <= units) return 1
  return 2 * tokens <= units ? 2 : 3
}

/** Returns the index of the piece that contains an offset. */
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
