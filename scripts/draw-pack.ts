// Draws the picture of the README: a passage as source, minified and dense, as docs/images/pack-{light,dark}.svg.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { decode, parseRosetta } from '@packs/codec'
import { loadTokenizer } from '@packs/codec/compress'
import { buildPack, parseSource } from '@packs/codec/pack'

const SOURCE = 'examples/packs/payments-api-reference.md'
/** How the first and the last line of the passage begin, in all three texts. */
const FIRST = '| Status code '
const LAST = 'Deliver when '
const WIDTH = 830
/** Characters of a row in a panel of the whole width, and of half of it. */
const COLUMNS = { whole: 104, half: 50 } as const
const LINE_HEIGHT = 17
const BLANK_HEIGHT = 8

export const THEMES = ['light', 'dark'] as const
type Theme = (typeof THEMES)[number]

const COLORS: Readonly<Record<Theme, Readonly<Record<string, string>>>> = {
  light: {
    page: '#ffffff',
    panel: '#f6f8fa',
    text: '#1f2328',
    soft: '#59636e',
    gone: '#b3261e',
    term: '#0a53b8',
  },
  dark: {
    page: '#0d1117',
    panel: '#161b22',
    text: '#e6edf3',
    soft: '#9198a1',
    gone: '#ff9a8f',
    term: '#79c0ff',
  },
}

/** A part of a text: as it stays, `gone` in the next text, or a `term` or a number of this one. */
interface Piece {
  readonly text: string
  readonly kind?: 'gone' | 'term'
}

interface Panel {
  readonly title: string
  readonly side?: 'left' | 'right'
  readonly pieces: readonly Piece[]
}

/** Returns the picture as SVG whose text is text. */
export async function drawPack(theme: Theme): Promise<string> {
  const { source } = parseSource(readFileSync(SOURCE), { path: SOURCE })
  const [{ pack }, { pack: plain }] = await Promise.all([
    buildPack(source!),
    buildPack({ ...source!, compression: 'minify-1' }),
  ])
  if (pack === undefined || plain === undefined) throw new Error(`${SOURCE} is not a pack`)
  const { rosetta, uncompressed_estimate: before, rosetta_tokens: header } = pack
  const from = cutPassage(source!.body)
  const minified = cutPassage(plain.content)
  const dense = cutPassage(pack.content)
  if (decode(dense, rosetta) !== minified) throw new Error('The passage does not decode to its text')
  const { entries } = parseRosetta(rosetta)
  const terms = new Set(entries.map(({ term }) => term))
  const used = entries.filter(({ term }) => dense.includes(term))
  const tokenizer = await loadTokenizer('o200k_base')
  const count = (text: string): string => `${tokenizer.countTokens(text)} tokens`
  const write = (tokens: number): string => tokens.toLocaleString('en')
  const [left, numbered] = compare(from, minified)
  const panels: Panel[] = [
    { title: `Source: ${count(from)}`, pieces: left },
    { title: `minify-1, the default: ${count(minified)}`, side: 'left', pieces: numbered },
    {
      title: `dense-2: ${count(dense)}`,
      side: 'right',
      pieces: Array.from(dense, (text) => (terms.has(text) ? { text, kind: 'term' } : { text })),
    },
    {
      title: `Header of dense-2, once for a whole prompt: ${entries.length} terms, ${header} tokens. This passage uses:`,
      pieces: used.flatMap(({ term, expansion }, at): Piece[] => [
        { text: `${at > 0 ? '|' : ''}` },
        { text: term, kind: 'term' },
        { text: `=${expansion}` },
      ]),
    },
  ]
  const total = `Whole document: ${write(before)} → ${write(plain.token_count)} → ${write(pack.token_count + header)} tokens, header included. Both restore the source, byte for byte.`
  return render(panels, total, COLORS[theme])
}

function cutPassage(text: string): string {
  const lines = text.split('\n')
  const first = lines.findIndex((line) => line.startsWith(FIRST))
  const last = lines.findIndex((line, at) => at > first && line.startsWith(LAST))
  if (first < 0 || last < 0) throw new Error(`${SOURCE} has no passage from "${FIRST}" to "${LAST}"`)
  return lines.slice(first, last + 1).join('\n')
}

/** Marks the words of a text that the other one lacks, and those that only the other one has. */
function compare(source: string, target: string): [Piece[], Piece[]] {
  const [a, b] = [source.match(/\w+|\W/g) ?? [], target.match(/\w+|\W/g) ?? []]
  const rows = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1))
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      rows[i]![j] = a[i] === b[j] ? rows[i + 1]![j + 1]! + 1 : Math.max(rows[i + 1]![j]!, rows[i]![j + 1]!)
  const pieces: [Piece[], Piece[]] = [[], []]
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    if (i < a.length && a[i] === b[j]) {
      pieces[0].push({ text: a[i++]! })
      pieces[1].push({ text: b[j++]! })
    } else if (j >= b.length || (i < a.length && rows[i + 1]![j]! >= rows[i]![j + 1]!))
      pieces[0].push({ text: a[i++]!, kind: 'gone' })
    else pieces[1].push({ text: b[j++]!, kind: 'term' })
  }
  return pieces
}

/** Breaks a text into rows, at spaces where a line is too long. */
function breakRows(pieces: readonly Piece[], columns: number): Piece[][] {
  const rows: Piece[][] = [[]]
  for (const { text, ...kind } of pieces)
    for (const sign of text) {
      const row = rows.at(-1)!
      if (sign === '\n') rows.push([])
      else if (row.push({ text: sign, ...kind }) > columns) {
        const space = row.findLastIndex((piece) => piece.text === ' ') + 1
        rows.push(row.splice(space > 0 ? space : columns))
      }
    }
  return rows
}

function writeRow(row: readonly Piece[]): string {
  let html = ''
  let open: Piece['kind']
  for (const { text, kind } of row) {
    if (kind !== open) html += `${open ? '</tspan>' : ''}${kind ? `<tspan class="${kind}">` : ''}`
    html += escape(text)
    open = kind
  }
  return open ? `${html}</tspan>` : html
}

function render(panels: readonly Panel[], total: string, colors: Readonly<Record<string, string>>): string {
  const parts: string[] = []
  let y = 8
  let bottom = y
  for (const { title, side, pieces } of panels) {
    if (side !== 'right') y = bottom
    const x = side === 'right' ? WIDTH / 2 + 4 : 12
    const width = side === undefined ? WIDTH - 24 : WIDTH / 2 - 16
    const top = y + 22
    let end = top + 8
    const texts: string[] = []
    for (const row of breakRows(pieces, side === undefined ? COLUMNS.whole : COLUMNS.half)) {
      end += row.length > 0 ? LINE_HEIGHT : BLANK_HEIGHT
      if (row.length > 0) texts.push(`<text x="${x + 12}" y="${end - 4}">${writeRow(row)}</text>`)
    }
    end += 8
    parts.push(
      `<text class="h" x="${x + 2}" y="${y + 14}">${escape(title)}</text>`,
      `<rect x="${x}" y="${top}" width="${width}" height="${end - top}" rx="6" fill="${colors['panel']}"/>`,
      ...texts,
    )
    bottom = Math.max(bottom, end + 8)
  }
  y = bottom
  parts.push(`<text class="h" x="14" y="${y + 14}">${escape(total)}</text>`)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y + 26}" width="${WIDTH}" height="${y + 26}" role="img" aria-label="A passage of an API reference as source, minified, and dense with the terms that decode it">
<style>
text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: ${colors['text']}; white-space: pre; }
.h { font: 600 13px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: ${colors['soft']}; }
.gone { fill: ${colors['gone']}; text-decoration: line-through; }
.term { fill: ${colors['term']}; font-weight: 600; }
</style>
<rect width="100%" height="100%" fill="${colors['page']}"/>
${parts.join('\n')}
</svg>
`
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

if (import.meta.main) {
  mkdirSync('docs/images', { recursive: true })
  for (const theme of THEMES) writeFileSync(`docs/images/pack-${theme}.svg`, await drawPack(theme))
}
