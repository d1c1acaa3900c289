import { hash } from 'node:crypto'
import { dirname } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Pack } from '@packs/codec/pack'
import { type Html, type HtmlValue, markup, trustMarkup } from '@packs/codec/theme'
import type { WrittenReport, WrittenResult, BuiltPack } from '../output/build-result.ts'
import { formatCount, formatPath, formatPercent, formatSaved } from '../output/terminal.ts'
import { makeOutputFolder, writeAtomic } from '../output/write-file.ts'
import { formatOptimality, renderHeads, renderNumbers } from './render-figures.ts'
import { renderPack, renderMessages } from './render-pack.ts'
import { countElements } from './render-rows.ts'
import { createReportModel } from './report-model.ts'
import { createStyle, REPORT_SCRIPT } from './report-style.ts'

const MAX_PACKS = 300
/** Most elements on a page, shared by its packs; browsers stay responsive with this many. */
const MAX_ELEMENTS = 80_000
/** Longest HTML of a page in UTF-16 units, shared in the same way. */
const MAX_HTML_LENGTH = 8_000_000

/**
 * Writes an HTML page about a build, including packs that could not be written.
 *
 * @throws CliError `output_failed`
 */
export async function writeReport(
  results: readonly WrittenResult[],
  path: string,
  cwd: string,
): Promise<WrittenReport> {
  const page = await renderReport(results)
  makeOutputFolder(dirname(path))
  const status = writeAtomic(path, Buffer.from(page))
  return { file: formatPath(path, cwd), status }
}

export async function renderReport(results: readonly WrittenResult[]): Promise<string> {
  const shown = results.slice(0, MAX_PACKS)
  const tokens = shown.reduce((sum, { pack }) => sum + (pack?.uncompressed_estimate ?? 0), 0)
  const packs: ReportedPack[] = []
  for (const result of shown) {
    packs.push({ ...result, section: await renderSection(result, `p${packs.length}`, tokens) })
    // Lets a pending signal end the program.
    await setImmediate()
  }
  return renderPage(packs, results.length - shown.length)
}

/** @param tokens tokens of all sources; a pack gets its share of the page in proportion */
async function renderSection(
  { pack: built, text, shown, messages }: WrittenResult,
  id: string,
  tokens: number,
): Promise<Html | null> {
  if (built === null || text === null) return null
  const share = Math.max(built.uncompressed_estimate / Math.max(1, tokens), 1 / MAX_PACKS)
  const budget = { elements: Math.floor(share * MAX_ELEMENTS), units: Math.floor(share * MAX_HTML_LENGTH) }
  const model = await createReportModel(JSON.parse(text) as Pack)
  return renderPack(model, built, { shown, messages }, id, budget)
}

/** Renders the whole page. Its policy allows no requests and no script but its own. */
function renderPage(packs: readonly ReportedPack[], omitted: number): string {
  const entries = Math.max(0, ...packs.map(({ pack }) => pack?.entries ?? 0))
  // Without a script, the browser matches the rule of each entry against the whole page on each pointer move.
  const elements = packs.reduce((sum, { section }) => sum + (section ? countElements(section) : 0), 1)
  const unscriptedEntries = Math.floor(MAX_STYLE_MATCHES / elements)
  const style = createStyle(Math.min(entries, unscriptedEntries))
  const policy = `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; script-src 'sha256-${hash('sha256', REPORT_SCRIPT, 'base64')}'; base-uri 'none'; form-action 'none'`
  const title =
    packs.length === 1
      ? `Build of ${packs[0]!.pack?.slug ?? packs[0]!.shown}`
      : `Build of ${formatCount(packs.length + omitted)} packs`
  const isSingle = packs.length === 1 && packs[0]!.section !== null
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${trustMarkup(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="pack build --report">
<title>${title}</title>
<style>${trustMarkup(style)}</style>
</head>
<body>
<a class="skip" href="#packs">Skip to the packs</a>
<header class="top"><h1>${LOGO}${title}</h1>
${renderViewSwitch()}</header>
<main id="packs">
${isSingle ? '' : renderIndex(packs, omitted)}${packs.map(({ section }) => section ?? '')}</main>
<footer><p>Token counts are in the tokenizer named with each pack. Net saved is 100 × (1 − (content + header) ÷ source).</p>
${unscriptedEntries < entries ? markup`<p class="unscripted">Scripts are disabled, so only the best ${unscriptedEntries} entries of each pack are highlighted.</p>\n` : ''}</footer>
<script>${trustMarkup(REPORT_SCRIPT)}</script>
</body>
</html>
`.toString()
}

const LOGO = trustMarkup(
  '<svg viewBox="0 0 20 20" aria-hidden="true"><rect class="content" x="2" y="3" width="16" height="4" rx="1"></rect><rect class="content" x="2" y="9" width="10" height="4" rx="1"></rect><rect class="header" x="2" y="15" width="6" height="3" rx="1"></rect></svg>',
)
const MAX_STYLE_MATCHES = 4_000_000

function renderViewSwitch(): Html {
  return markup`<fieldset class="view"><legend>Show</legend>
<label><input type="radio" name="view" id="view-entries" checked> Entries</label>
<label><input type="radio" name="view" id="view-tokens"> Tokens</label></fieldset>
`
}

/** A pack on the page: its line in the index, and its section if it has one. */
interface ReportedPack extends WrittenResult {
  readonly section: Html | null
}

/**
 * Renders a table with the figures of all packs, and the messages of the sources that could not be
 * built.
 *
 * @param omitted number of packs that were built but are not shown
 */
function renderIndex(packs: readonly ReportedPack[], omitted: number): Html {
  const failed = packs.filter(({ pack }) => pack === null)
  const lines = packs.map((result, at) => (result.pack === null ? '' : renderLine(result.pack, result, at)))
  const more = `${formatCount(omitted)} more packs were built; a page with all of them would be too large for a browser.`
  return markup`${failed.length < packs.length ? renderTable(lines, packs) : ''}${omitted > 0 ? markup`<p class="rest">${more}</p>` : ''}${failed.length > 0 ? renderFailed(failed) : ''}`
}

function renderTable(lines: readonly HtmlValue[], packs: readonly ReportedPack[]): Html {
  const heads = ['Net saved', 'Source', 'Content', 'Header', 'Entries', 'Optimality']
  return markup`<section aria-labelledby="index">
<h2 id="index">Packs</h2>
<div class="scroll all" role="region" tabindex="0" aria-label="Figures of every pack"><table class="index">
<thead><tr><th scope="col">Pack</th><th scope="col">Cost and savings</th>${renderHeads(heads)}</tr></thead>
<tbody>
${lines}</tbody>
${renderTotal(packs)}</table></div></section>
`
}

function renderLine(built: BuiltPack, { status, section }: ReportedPack, at: number): Html {
  const cells = [
    formatSaved(built.net_savings_pct, built.compression),
    ...[built.uncompressed_estimate, built.token_count, built.rosetta_tokens, built.entries].map(formatCount),
    formatOptimality(built),
  ]
  const name = section === null ? markup`${built.slug}` : markup`<a href="#p${at}">${built.slug}</a>`
  const state = status === 'failed' ? markup` <b class="error">not written</b>` : ''
  return markup`<tr><th scope="row">${name}${state}</th><td>${renderCostBar(built)}</td>${renderNumbers(cells)}</tr>
`
}

function renderFailed(packs: readonly ReportedPack[]): Html {
  const parts = packs.map(
    ({ shown, messages }) => markup`<h3><bdi>${shown}</bdi></h3>\n${renderMessages(messages)}`,
  )
  return markup`<section class="failed" aria-labelledby="failed">
<h2 id="failed">Not built</h2>
${parts}</section>
`
}

/** Hidden from assistive technology: the numbers next to it say the same. */
function renderCostBar({
  uncompressed_estimate: source,
  token_count: content,
  rosetta_tokens: header,
}: BuiltPack): Html {
  const scale = WIDTH / Math.max(1, source, content + header)
  const [first, paid] = [content, content + header].map((tokens) => Math.round(tokens * scale))
  return markup`<svg viewBox="0 0 ${WIDTH} 10" preserveAspectRatio="none" aria-hidden="true"><rect class="saved" width="${WIDTH}" height="10"></rect><rect class="header" width="${paid}" height="10"></rect><rect class="content" width="${first}" height="10"></rect></svg>`
}

const WIDTH = 1000

function renderTotal(packs: readonly ReportedPack[]): Html {
  const built = packs.flatMap(({ pack, status }) => (pack === null || status === 'failed' ? [] : pack))
  if (built.length < 2) return markup``
  const sum = (figure: (pack: BuiltPack) => number): number =>
    built.reduce((all, pack) => all + figure(pack), 0)
  const source = sum((pack) => pack.uncompressed_estimate)
  const content = sum((pack) => pack.token_count)
  const header = sum((pack) => pack.rosetta_tokens)
  const saved = source === 0 ? 0 : 100 * (1 - (content + header) / source)
  const cells = [formatPercent(saved), ...[source, content, header].map(formatCount), '', '']
  const name = `${formatCount(built.length)} packs`
  return markup`<tfoot><tr><th scope="row">${name}</th><td></td>${renderNumbers(cells)}</tr></tfoot>
`
}
