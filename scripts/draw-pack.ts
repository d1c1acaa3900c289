// Draws the picture of the README: ten lines of a pack beside what they decode to, as docs/images/pack-{light,dark}.svg.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { decode, parseRosetta, type RosettaEntry } from '@packs/codec'
import { loadTokenizer } from '@packs/codec/compress'
import { buildPack, parseSource } from '@packs/codec/pack'

const SOURCE = 'examples/packs/payments-api-reference.md'
const LINES = 10
/** Longest line that fits, in characters. */
const MAX_COLUMNS = 112
const WIDTH = 860
const LINE_HEIGHT = 18

export const THEMES = ['light', 'dark'] as const
type Theme = (typeof THEMES)[number]

const COLORS: Readonly<Record<Theme, Readonly<Record<string, string>>>> = {
  light: { page: '#ffffff', panel: '#f6f8fa', text: '#1f2328', soft: '#59636e', term: '#0a53b8' },
  dark: { page: '#0d1117', panel: '#161b22', text: '#e6edf3', soft: '#9198a1', term: '#79c0ff' },
}

/** A piece of a line: text that both sides share, or a term and its expansion. */
interface Piece {
  readonly term: string | undefined
  readonly source: string
}

/** Returns the picture as SVG whose text is text. */
export async function drawPack(theme: Theme): Promise<string> {
  const { source } = parseSource(readFileSync(SOURCE), { path: SOURCE })
  const { pack } = await buildPack(source!)
  if (pack === undefined) throw new Error(`${SOURCE} is not a pack`)
  const { rosetta, content, uncompressed_estimate: before, token_count, rosetta_tokens: header } = pack
  const { entries } = parseRosetta(rosetta)
  const lines = content.split('\n').map((line) => splitLine(line, entries, rosetta))
  const body = decode(content, rosetta).split('\n')
  const wrong = lines.findIndex((line, at) => line.map((piece) => piece.source).join('') !== body[at])
  if (wrong >= 0) throw new Error(`Line ${wrong + 1} of the pack does not decode to its text`)
  const first = findWindow(lines)
  const shown = lines.slice(first, first + LINES)
  const used = new Set(shown.flat().flatMap(({ term }) => term ?? []))
  // Expansions use the terms of later entries only, so one pass finds them all.
  for (const [at, { term, expansion }] of entries.entries())
    if (used.has(term))
      for (const { term: inner } of splitLine(expansion, entries.slice(at + 1), rosetta))
        if (inner !== undefined) used.add(inner)
  const names = entries
    .filter(({ term }) => used.has(term))
    .map(({ term, expansion }) => `${term}=${expansion}`)
  const tokenizer = await loadTokenizer('o200k_base')
  const count = (text: string): string => tokenizer.countTokens(text).toLocaleString('en')
  const saved = ((100 * (before - token_count - header)) / before).toFixed(1)
  const sourceText = body.slice(first, first + LINES).join('\n')
  const packText = content
    .split('\n')
    .slice(first, first + LINES)
    .join('\n')
  const panels = [
    {
      title: `Minified source: ${LINES} lines, ${count(sourceText)} tokens`,
      rows: shown.map((line) => writeLine(line, 'source')),
    },
    {
      title: `Pack: the same lines, ${count(packText)} tokens`,
      rows: shown.map((line) => writeLine(line, 'term')),
    },
    {
      title: `Header, once for the whole pack: ${entries.length} terms, ${header} tokens. These lines use:`,
      rows: wrap(names, MAX_COLUMNS).map((row) => escape(row)),
    },
  ]
  const total = `Whole document, header included: ${before.toLocaleString('en')} → ${(token_count + header).toLocaleString('en')} tokens (o200k_base), ${saved} % saved, exact.`
  return render(panels, total, COLORS[theme])
}

/** Finds the consecutive lines with the most terms, of those that fit without wrapping. */
function findWindow(lines: readonly (readonly Piece[])[]): number {
  const fits = lines.map((line) => {
    const { length } = line.map((piece) => piece.source).join('')
    return length <= MAX_COLUMNS
  })
  const terms = lines.map((line) => line.filter(({ term }) => term !== undefined).length)
  const starts = [...lines.keys()].filter((at) => fits.slice(at, at + LINES).filter(Boolean).length === LINES)
  const gain = (at: number): number => terms.slice(at, at + LINES).reduce((sum, one) => sum + one, 0)
  const best = starts.toSorted((a, b) => gain(b) - gain(a) || a - b)[0]
  if (best === undefined)
    throw new Error(`${SOURCE} has no ${LINES} lines of at most ${MAX_COLUMNS} characters`)
  return best
}

/** Splits a line of the content at its terms. No term of the example is a part of another one. */
function splitLine(line: string, entries: readonly RosettaEntry[], rosetta: string): Piece[] {
  const terms = new Set(entries.map(({ term }) => term))
  const pieces: Piece[] = []
  for (const sign of line) {
    const last = pieces.at(-1)
    if (terms.has(sign)) pieces.push({ term: sign, source: decode(sign, rosetta) })
    else if (last === undefined || last.term !== undefined) pieces.push({ term: undefined, source: sign })
    else pieces[pieces.length - 1] = { term: undefined, source: last.source + sign }
  }
  return pieces
}

function writeLine(line: readonly Piece[], side: 'source' | 'term'): string {
  return line
    .map(({ term, source }) =>
      term === undefined
        ? escape(source)
        : `<tspan class="t">${escape(side === 'source' ? source : term)}</tspan>`,
    )
    .join('')
}

/** Joins entries with `|`, as a header does, to rows of at most so many columns. */
function wrap(entries: readonly string[], columns: number): string[] {
  const rows = ['']
  for (const [at, entry] of entries.entries()) {
    const text = at < entries.length - 1 ? `${entry}|` : entry
    if (rows.at(-1)!.length + text.length > columns) rows.push(text)
    else rows[rows.length - 1] += text
  }
  return rows
}

function render(
  panels: readonly { readonly title: string; readonly rows: readonly string[] }[],
  total: string,
  colors: Readonly<Record<string, string>>,
): string {
  const parts: string[] = []
  let y = 16
  for (const { title, rows } of panels) {
    const height = rows.length * LINE_HEIGHT + 16
    parts.push(`<text class="h" x="16" y="${y + 12}">${escape(title)}</text>`)
    parts.push(
      `<rect x="12" y="${y + 22}" width="${WIDTH - 24}" height="${height}" rx="6" fill="${colors['panel']}"/>`,
    )
    const texts = rows.map((row, at) => `<text x="24" y="${y + 43 + at * LINE_HEIGHT}">${row}</text>`)
    parts.push(...texts)
    y += height + 36
  }
  parts.push(`<text class="h" x="16" y="${y + 12}">${escape(total)}</text>`)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y + 28}" width="${WIDTH}" height="${y + 28}" role="img" aria-label="Ten lines of a minified document, the same lines as a pack, and the header that decodes them">
<style>
text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: ${colors['text']}; white-space: pre; }
.h { font: 600 13px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: ${colors['soft']}; }
.t { fill: ${colors['term']}; font-weight: 600; }
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
