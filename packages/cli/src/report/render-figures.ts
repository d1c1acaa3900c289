import type { BuiltPack } from '../output/build-result.ts'
import { formatCount, formatPercent } from '../output/terminal.ts'
import { type Html, markup } from '@packs/codec/theme'
import { ROWS_PER_GROUP } from './render-rows.ts'
import type { ReportRow } from './report-model.ts'

/** Renders the token counts and savings of a pack, as numbers and as two bars. */
export function renderFigures(built: BuiltPack): Html {
  const { uncompressed_estimate: source, token_count: content, rosetta_tokens: header } = built
  const facts: readonly (readonly [name: string, value: string, kind: string])[] = [
    ['Source', formatCount(source), 'source'],
    ['Content', formatCount(content), 'content'],
    ['Header', formatCount(header), 'header'],
    ['Saved', formatCount(source - content - header), 'saved'],
    ['Entries', formatCount(built.entries), ''],
    ['Optimality', formatOptimality(built), ''],
  ]
  const list = facts.map(
    ([name, value, kind]) => markup`<div><dt class="${kind}">${name}</dt><dd>${value}</dd></div>`,
  )
  return markup`<div class="figures">
<p class="net"><b>${formatPercent(built.net_savings_pct)}</b> net saved</p>
<dl>${list}</dl>
</div>
${renderBar(source, content, header)}`
}

/** Renders headings of columns with numbers. */
export function renderHeads(names: readonly string[]): Html[] {
  return names.map((name) => markup`<th scope="col" class="n">${name}</th>`)
}

/** Renders cells with numbers. */
export function renderNumbers(numbers: readonly string[]): Html[] {
  return numbers.map((number) => markup`<td class="n">${number}</td>`)
}

/** Formats how close the entries are to the optimum; a dash if there are none. */
export function formatOptimality({ entries, optimality }: BuiltPack): string {
  return entries === 0 ? '–' : formatPercent(100 * optimality)
}

const WIDTH = 1000

/** Renders two bars of the same scale: the source, and below it content and header. */
function renderBar(source: number, content: number, header: number): Html {
  const scale = WIDTH / Math.max(1, source, content + header)
  const [whole, first, second] = [source, content, header].map((tokens) => round(tokens * scale)) as [
    number,
    number,
    number,
  ]
  const paid = round(first + second)
  const label = `Source ${formatCount(source)} tokens; content ${formatCount(content)} and header ${formatCount(header)}`
  return markup`<svg class="bar" viewBox="0 0 ${WIDTH} 30" preserveAspectRatio="none" role="img" aria-label="${label}">
<rect class="source" width="${whole}" height="13"></rect>
<rect class="content" y="17" width="${first}" height="13"></rect>
<rect class="header" x="${first}" y="17" width="${second}" height="13"></rect>
<rect class="saved" x="${paid}" y="17" width="${round(Math.max(0, WIDTH - paid))}" height="13"></rect>
</svg>
`
}

const BARS = 120
const HEIGHT = 60
/** Share of a bar's slot that the bar fills. */
const BAR_WIDTH = 0.86

/**
 * Renders the tokens along the text as a strip of bars: for each part its tokens in the source,
 * overlaid by those in the content.
 */
export function renderStrip(rows: readonly ReportRow[], slug: string): Html {
  const groups = Math.ceil(rows.length / ROWS_PER_GROUP)
  const size = Math.max(1, rows.length / BARS)
  const bars = Array.from({ length: Math.min(BARS, rows.length) }, (_, bar) => {
    const part = rows.slice(Math.floor(bar * size), Math.floor((bar + 1) * size))
    return {
      source: part.reduce((sum, row) => sum + row.sourceTokens, 0),
      content: part.reduce((sum, row) => sum + row.contentTokens, 0),
    }
  })
  const maxTokens = bars.reduce((top, { source, content }) => Math.max(top, source, content), 1)
  const step = WIDTH / Math.max(1, bars.length)
  const draw = (kind: 'source' | 'content'): Html[] =>
    bars.map(({ [kind]: tokens }, at) => {
      const height = round((HEIGHT * tokens) / maxTokens)
      const [x, y, width] = [round(at * step), round(HEIGHT - height), round(step * BAR_WIDTH)]
      return markup`<rect class="${kind}" x="${x}" y="${y}" width="${width}" height="${height}"></rect>`
    })
  const label = `Tokens along ${slug}, from its first line to its last, in source and content`
  return markup`<svg class="strip" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}" data-groups="${groups}">
${draw('source')}
${draw('content')}
</svg>
`
}

function round(value: number): number {
  return Math.round(10 * value) / 10
}
