import type { BuiltPack } from '../output/build-result.ts'
import type { Diagnostic } from '../output/diagnostic.ts'
import { formatCount, formatPercent } from '../output/format-table.ts'
import { markup, type Markup, type Part } from './markup.ts'
import { formatOptimality } from './render-figures.ts'
import { renderMessages } from './render-messages.ts'

/** A pack of a page: what the index says of it, and its section if it has one. */
export interface ReportedPack {
  readonly shown: string
  readonly built: BuiltPack | null
  readonly isFailed: boolean
  readonly messages: readonly Diagnostic[]
  readonly section: Markup | null
}

/**
 * Renders the figures of all packs, and what is wrong with those that are none.
 *
 * @param left packs that were built and are not shown
 */
export function renderIndex(packs: readonly ReportedPack[], left: number): Markup {
  const failed = packs.filter(({ built }) => built === null)
  const lines = packs.map((pack, at) => (pack.built === null ? '' : renderLine(pack.built, pack, at)))
  const more = `${formatCount(left)} more were built; a page of all would be too large for a browser.`
  return markup`${failed.length < packs.length ? renderTable(lines, packs) : ''}${left > 0 ? markup`<p class="rest">${more}</p>` : ''}${failed.length > 0 ? renderFailed(failed) : ''}`
}

function renderTable(lines: readonly Part[], packs: readonly ReportedPack[]): Markup {
  const heads = ['Net saved', 'Source', 'Content', 'Header', 'Entries', 'Optimality']
  return markup`<section aria-labelledby="index">
<h2 id="index">Packs</h2>
<div class="scroll all" role="region" tabindex="0" aria-label="Figures of every pack"><table class="index">
<thead><tr><th scope="col">Pack</th><th scope="col">Paid and saved</th>${heads.map((name) => markup`<th scope="col" class="n">${name}</th>`)}</tr></thead>
<tbody>
${lines}</tbody>
${renderTotal(packs)}</table></div></section>
`
}

function renderLine(built: BuiltPack, { isFailed, section }: ReportedPack, at: number): Markup {
  const cells = [
    formatSaved(built),
    ...[built.uncompressed_estimate, built.token_count, built.rosetta_tokens, built.entries].map(formatCount),
    formatOptimality(built),
  ]
  const name = section === null ? markup`${built.slug}` : markup`<a href="#p${at}">${built.slug}</a>`
  const state = isFailed ? markup` <b class="error">not written</b>` : ''
  return markup`<tr><th scope="row">${name}${state}</th><td>${renderPaid(built)}</td>${cells.map((cell) => markup`<td class="n">${cell}</td>`)}</tr>
`
}

function renderFailed(packs: readonly ReportedPack[]): Markup {
  const parts = packs.map(
    ({ shown, messages }) => markup`<h3><bdi>${shown}</bdi></h3>\n${renderMessages(messages)}`,
  )
  return markup`<section class="failed" aria-labelledby="failed">
<h2 id="failed">Not built</h2>
${parts}</section>
`
}

/** What is paid as a part of the source; the numbers beside it say the same. */
function renderPaid({
  uncompressed_estimate: source,
  token_count: content,
  rosetta_tokens: header,
}: BuiltPack): Markup {
  const scale = WIDTH / Math.max(1, source, content + header)
  const [first, paid] = [content, content + header].map((tokens) => Math.round(tokens * scale))
  return markup`<svg viewBox="0 0 ${WIDTH} 10" preserveAspectRatio="none" aria-hidden="true"><rect class="saved" width="${WIDTH}" height="10"></rect><rect class="header" width="${paid!}" height="10"></rect><rect class="content" width="${first!}" height="10"></rect></svg>`
}

const WIDTH = 1000

function renderTotal(packs: readonly ReportedPack[]): Markup {
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
