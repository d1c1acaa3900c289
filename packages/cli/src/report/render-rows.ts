import { formatCount } from '../output/format-table.ts'
import type { PackPicture, PicturedRow } from './report-model.ts'
import { markup, type Markup } from './markup.ts'
import { renderCell, type CellText } from './render-cell.ts'

/** How much of a pack is shown, so that a browser can hold the page. */
export interface Room {
  readonly elements: number
  /** UTF-16 units of HTML. */
  readonly units: number
}

/** Rows that a browser lays out together, when they come into view. */
export const GROUP = 24

/**
 * Renders source and content side by side, as many rows as there is room for.
 *
 * @param nameUse gives an id for a use in the source, or nothing
 */
export function renderRows(picture: PackPicture, room: Room, nameUse: (entry: number) => string): Markup {
  const { rows } = picture
  const texts = readTexts(picture, nameUse)
  const groups: Markup[] = []
  let [elements, units, shown] = [room.elements, room.units, 0]
  while (shown < rows.length && elements > 0 && units > 0) {
    const group: Markup[] = []
    for (const row of rows.slice(shown, shown + GROUP)) {
      const markup = renderRow(row, texts)
      elements -= countElements(markup)
      units -= markup.text.length
      group.push(markup)
      if (elements <= 0 || units <= 0) break
    }
    shown += group.length
    groups.push(markup`<div class="g" role="rowgroup">${group}</div>
`)
  }
  const rest = rows.length - shown
  return markup`<div class="rows" role="table" aria-label="Source and content of ${picture.pack.slug}, line by line">
<div class="r heads" role="row"><div role="columnheader">Source</div><div role="columnheader">Content</div></div>
${groups}</div>
${rest > 0 ? renderRest(shown, rows.length) : ''}`
}

interface Texts {
  readonly source: CellText
  readonly content: CellText
}

function readTexts(
  { pack, source, sourcePieces, contentPieces, ranks }: PackPicture,
  nameUse: (entry: number) => string,
): Texts {
  const classOf = (entry: number): string => `e${ranks[entry]!}`
  return {
    source: { text: source, pieces: sourcePieces, classOf, nameUse },
    content: { text: pack.content, pieces: contentPieces, classOf, nameUse: () => '' },
  }
}

function renderRow({ source, content, sourceTokens, contentTokens }: PicturedRow, texts: Texts): Markup {
  const isSame = source.marks.length === 0
  const kind = isSame ? 'r same' : 'r'
  const [left, right] = [renderCell(source, texts.source), renderCell(content, texts.content)]
  return markup`<div class="${kind}" role="row">
<div class="c s h${judgeHeat(sourceTokens)}" role="cell" data-n="${sourceTokens}">${left}</div>
<div class="c h${judgeHeat(contentTokens)}" role="cell" data-n="${contentTokens}">${right}</div>
</div>
`
}

/** Most tokens of a line at each heat. */
export const HEATS: readonly number[] = [0, 9, 24, 49, 99]

function judgeHeat(tokens: number): number {
  const level = HEATS.findIndex((most) => tokens <= most)
  return level < 0 ? HEATS.length : level
}

/** Elements in markup, each of which has an end tag. */
export function countElements({ text }: Markup): number {
  let count = 0
  for (let at = text.indexOf('</'); at >= 0; at = text.indexOf('</', at + 2)) count++
  return count
}

function renderRest(shown: number, all: number): Markup {
  const count = `${formatCount(shown)} of ${formatCount(all)}`
  return markup`<p class="rest">These are the first ${count} lines; a page of all would be too large for a browser. The figures are of the whole pack, and <code>pack decode</code> prints the whole source.</p>
`
}
