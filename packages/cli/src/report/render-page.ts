import { createHash } from 'node:crypto'
import type { BuiltPack } from '../output/build-result.ts'
import type { Diagnostic } from '../output/diagnostic.ts'
import { formatCount, formatPercent } from '../output/format-table.ts'
import { type Html, type HtmlValue, trustMarkup } from '@packs/codec/theme'
import { markup } from './markup.ts'
import { formatOptimality } from './render-figures.ts'
import { renderMessages } from './render-pack.ts'
import { countElements } from './render-rows.ts'
import { createStyle } from './report-style.ts'

/** Renders the whole page. Its policy allows no requests and no script but its own. */
export function renderPage(packs: readonly ReportedPack[], omitted: number): string {
  const entries = Math.max(0, ...packs.map(({ built }) => built?.entries ?? 0))
  const unscriptedEntries = limitUnscriptedEntries(packs)
  const style = createStyle(Math.min(entries, unscriptedEntries))
  const policy = `default-src 'none'; style-src '${hash(style)}'; script-src '${hash(REPORT_SCRIPT)}'; base-uri 'none'; form-action 'none'`
  const title =
    packs.length === 1
      ? `Build of ${packs[0]!.built?.slug ?? packs[0]!.shown}`
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

/**
 * Returns how many entries of each pack can be highlighted without a script. On each pointer move the browser matches the style
 * rule of each entry against the whole page, so a large page gets fewer rules.
 */
function limitUnscriptedEntries(packs: readonly ReportedPack[]): number {
  const elements = packs.reduce((sum, { section }) => sum + (section ? countElements(section) : 0), 1)
  return Math.floor(MAX_STYLE_MATCHES / elements)
}

/** The logo of the pages of `pack serve`. */
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

function hash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

/** A pack on the page: its line in the index, and its section if it has one. */
export interface ReportedPack {
  readonly shown: string
  readonly built: BuiltPack | null
  readonly isFailed: boolean
  readonly messages: readonly Diagnostic[]
  readonly section: Html | null
}

/**
 * Renders a table with the figures of all packs, and the messages of the sources that could not be built.
 *
 * @param omitted number of packs that were built but are not shown
 */
function renderIndex(packs: readonly ReportedPack[], omitted: number): Html {
  const failed = packs.filter(({ built }) => built === null)
  const lines = packs.map((pack, at) => (pack.built === null ? '' : renderLine(pack.built, pack, at)))
  const more = `${formatCount(omitted)} more packs were built; a page with all of them would be too large for a browser.`
  return markup`${failed.length < packs.length ? renderTable(lines, packs) : ''}${omitted > 0 ? markup`<p class="rest">${more}</p>` : ''}${failed.length > 0 ? renderFailed(failed) : ''}`
}

function renderTable(lines: readonly HtmlValue[], packs: readonly ReportedPack[]): Html {
  const heads = ['Net saved', 'Source', 'Content', 'Header', 'Entries', 'Optimality']
  return markup`<section aria-labelledby="index">
<h2 id="index">Packs</h2>
<div class="scroll all" role="region" tabindex="0" aria-label="Figures of every pack"><table class="index">
<thead><tr><th scope="col">Pack</th><th scope="col">Cost and savings</th>${heads.map((name) => markup`<th scope="col" class="n">${name}</th>`)}</tr></thead>
<tbody>
${lines}</tbody>
${renderTotal(packs)}</table></div></section>
`
}

function renderLine(built: BuiltPack, { isFailed, section }: ReportedPack, at: number): Html {
  const cells = [
    formatSaved(built),
    ...[built.uncompressed_estimate, built.token_count, built.rosetta_tokens, built.entries].map(formatCount),
    formatOptimality(built),
  ]
  const name = section === null ? markup`${built.slug}` : markup`<a href="#p${at}">${built.slug}</a>`
  const state = isFailed ? markup` <b class="error">not written</b>` : ''
  return markup`<tr><th scope="row">${name}${state}</th><td>${renderCostBar(built)}</td>${cells.map((cell) => markup`<td class="n">${cell}</td>`)}</tr>
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
  const built = packs.flatMap(({ built: own, isFailed }) => (own === null || isFailed ? [] : own))
  if (built.length < 2) return markup``
  const sum = (figure: (pack: BuiltPack) => number): number =>
    built.reduce((all, pack) => all + figure(pack), 0)
  const source = sum((pack) => pack.uncompressed_estimate)
  const content = sum((pack) => pack.token_count)
  const header = sum((pack) => pack.rosetta_tokens)
  const saved = source === 0 ? 0 : 100 * (1 - (content + header) / source)
  const cells = [formatPercent(saved), ...[source, content, header].map(formatCount), '', '']
  const name = `${formatCount(built.length)} packs`
  return markup`<tfoot><tr><th scope="row">${name}</th><td></td>${cells.map((cell) => markup`<td class="n">${cell}</td>`)}</tr></tfoot>
`
}

function formatSaved({ compression, net_savings_pct: percent }: BuiltPack): string {
  return compression === 'none' || percent === 0 ? 'none' : formatPercent(percent)
}

/**
 * Optional script of the page. It marks hovered entries with a class, which is faster in large texts than the style rules that
 * work without scripts. A click selects an entry; keys and the strip of tokens scroll through the text. The script reads only
 * class names and attributes that this program wrote.
 */
const REPORT_SCRIPT: string = `'use strict'
{
  let kept = null
  let marked = []
  let use = -1
  const find = (start) => {
    for (let node = start; node instanceof Element; node = node.parentElement) {
      const name = /(?:^| )(e\\d+)(?: |$)/.exec(node.getAttribute('class') ?? '')?.[1]
      if (name !== undefined) return { name, pack: node.closest('.pack') }
    }
    return null
  }
  const isSame = (a, b) => a !== null && b !== null && a.name === b.name && a.pack === b.pack
  const mark = (entry) => {
    for (const node of marked) node.classList.remove('on', 'at')
    marked = entry === null ? [] : [...entry.pack.getElementsByClassName(entry.name)]
    for (const node of marked) node.classList.add('on')
  }
  const keep = (entry) => {
    if (!isSame(entry, kept)) use = -1
    kept = entry
    mark(entry)
  }
  const step = (by) => {
    const uses = marked.filter((node) => node.matches('.s .m'))
    if (uses.length === 0) return
    use = use < 0 && by < 0 ? uses.length - 1 : (use + by + uses.length) % uses.length
    uses[use].scrollIntoView({ block: 'center' })
    for (const node of uses) node.classList.toggle('at', node === uses[use])
  }
  document.addEventListener('mouseover', (event) => mark(find(event.target) ?? kept))
  document.documentElement.addEventListener('mouseleave', () => mark(kept))
  document.addEventListener('focusin', (event) => {
    const entry = find(event.target)
    if (entry !== null) keep(entry)
  })
  document.addEventListener('click', (event) => {
    const entry = find(event.target)
    const strip = event.target.closest('.strip')
    if (strip !== null) {
      const { left, width } = strip.getBoundingClientRect()
      const group = Math.floor((Number(strip.dataset.groups) * (event.clientX - left)) / width)
      const groups = strip.closest('.pack').querySelectorAll('.g')
      groups[Math.max(0, Math.min(group, groups.length - 1))]?.scrollIntoView({ block: 'start' })
    } else if (event.target.closest('a') === null) keep(isSame(entry, kept) ? null : entry)
  })
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'Escape') keep(null)
    if (event.key === 'n') step(1)
    if (event.key === 'p') step(-1)
  })
  document.documentElement.classList.add('script')
}
`
