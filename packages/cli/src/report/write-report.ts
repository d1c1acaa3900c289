import { dirname } from 'node:path'
import type { Pack } from '@packs/codec/pack'
import {
  createTermStyle,
  type Html,
  type LitPrompt,
  markup,
  renderLitPrompt,
  renderOfflinePage,
  TERM_SCRIPT,
} from '@packs/theme'
import { type BuiltPack, sumTokens, type WrittenReport, type WrittenResult } from '../output/build-result.ts'
import { type Diagnostic, formatPath } from '@packs/files'
import { formatCount, formatPercent, formatSaved } from '../output/terminal.ts'
import { makeOutputFolder, writeAtomic } from '../output/write-file.ts'

const MAX_PACKS = 300
/** UTF-16 units of all texts; each may take an element, and with more browsers are slow. */
const MAX_UNITS = 200_000
const MAX_MESSAGES = 20
/** Entries that are lit without a script: the browser matches the rule of each against the page. */
const UNSCRIPTED_ENTRIES = 50

export async function writeReport(
  results: readonly WrittenResult[],
  path: string,
  cwd: string,
): Promise<WrittenReport> {
  const page = renderReport(results)
  makeOutputFolder(dirname(path))
  const status = writeAtomic(path, Buffer.from(page))
  return { file: formatPath(path, cwd), status }
}

export function renderReport(results: readonly WrittenResult[]): string {
  const shown = results.slice(0, MAX_PACKS)
  const tokens = shown.reduce((sum, { pack }) => sum + (pack?.uncompressed_estimate ?? 0), 0)
  const sections = shown.map((result, at) => renderPack(result, `p${at}`, tokens))
  const failed = shown.filter(({ pack }) => pack === null)
  const omitted = results.length - shown.length
  const only = results.length === 1 ? results[0] : undefined
  return renderOfflinePage({
    title: only
      ? `Build of ${only.pack?.slug ?? only.shown}`
      : `Build of ${formatCount(results.length)} packs`,
    generator: 'pack build --report',
    skipTo: 'packs',
    header: renderVerdict(results),
    main: markup`${failed.length < shown.length && renderTable(shown)}${omitted > 0 && markup`<p class="rest">${formatCount(omitted)} more packs were built; a page with all of them would be too large for a browser.</p>`}
${failed.length > 0 && renderFailed(failed)}${sections}`,
    footer: markup`<p class="rest">Token counts are in the tokenizer named with each pack. Saved is 100 × (1 − (content + header) ÷ source).</p>`,
    style: STYLE,
    script: TERM_SCRIPT,
  })
}

function renderVerdict(results: readonly WrittenResult[]): Html {
  const built = listBuilt(results)
  const { source, paid, saved } = sumTokens(built)
  const bad = results.length - built.length
  const packs = built.length === 1 ? '1 pack' : `${formatCount(built.length)} packs`
  const sum =
    source === paid
      ? `${packs} with ${formatCount(source)} tokens, as in the sources.`
      : `${packs} with ${formatCount(paid)} tokens instead of ${formatCount(source)}, header included.`
  return markup`<p class="verdict"><b>${formatPercent(saved)}</b> saved. ${built.length > 0 && `${sum} Each was restored to its source, byte for byte.`}${bad > 0 && markup` <strong class="error">${bad === 1 ? '1 source was' : `${formatCount(bad)} sources were`} not written.</strong>`}</p>`
}

function listBuilt(results: readonly WrittenResult[]): readonly BuiltPack[] {
  return results.flatMap(({ pack, status }) => (pack === null || status === 'failed' ? [] : pack))
}

const HEADS = ['Saved', 'Source', 'Content', 'Header', 'Entries']

function renderTable(results: readonly WrittenResult[]): Html {
  const heads = HEADS.map((name) => markup`<th scope="col" class="n">${name}</th>`)
  const lines = results.map((result, at) => result.pack && renderLine(result.pack, result, at))
  const built = listBuilt(results)
  const { source, content, header, saved } = sumTokens(built)
  const total = renderNumbers([formatPercent(saved), ...[source, content, header].map(formatCount), ''])
  return markup`<section aria-labelledby="packs"><h2 id="packs">Packs</h2>
<p class="legend"><span><i class="content"></i>content</span> <span><i class="header"></i>header</span> <span><i class="saved"></i>saved</span></p>
<div class="scroll" role="region" tabindex="0" aria-label="Figures of every pack"><table>
<thead><tr><th scope="col">Pack</th>${heads}</tr></thead>
<tbody>
${lines}</tbody>
${built.length > 1 && markup`<tfoot><tr><th scope="row">${formatCount(built.length)} packs</th>${total}</tr></tfoot>\n`}</table></div></section>
`
}

function renderLine(built: BuiltPack, { status, text }: WrittenResult, at: number): Html {
  const counts = [built.uncompressed_estimate, built.token_count, built.rosetta_tokens, built.entries]
  const cells = [formatSaved(built.net_savings_pct, built.compression), ...counts.map(formatCount)]
  const name = text === null ? markup`${built.slug}` : markup`<a href="#p${at}">${built.slug}</a>`
  const state = status === 'failed' && markup` <b class="error">not written</b>`
  return markup`<tr><th scope="row">${name}${state}${renderBar(built)}</th>${renderNumbers(cells)}</tr>
`
}

function renderNumbers(numbers: readonly string[]): Html[] {
  return numbers.map((number) => markup`<td class="n">${number}</td>`)
}

const WIDTH = 1000

/** Hidden from assistive technology: the numbers next to it say the same. */
function renderBar({
  uncompressed_estimate: source,
  token_count: content,
  rosetta_tokens: header,
}: BuiltPack): Html {
  const scale = WIDTH / Math.max(1, source, content + header)
  const [first, paid] = [content, content + header].map((tokens) => Math.round(tokens * scale))
  return markup`<svg viewBox="0 0 ${WIDTH} 10" preserveAspectRatio="none" aria-hidden="true"><rect class="saved" width="${WIDTH}" height="10"></rect><rect class="header" width="${paid}" height="10"></rect><rect class="content" width="${first}" height="10"></rect></svg>`
}

function renderFailed(results: readonly WrittenResult[]): Html {
  const parts = results.map(
    ({ shown, messages }) => markup`<h3><bdi>${shown}</bdi></h3>\n${renderMessages(messages)}`,
  )
  return markup`<section aria-labelledby="failed"><h2 id="failed">Not built</h2>
${parts}</section>
`
}

function renderMessages(messages: readonly Diagnostic[]): Html {
  const items = messages
    .slice(0, MAX_MESSAGES)
    .map(({ file, line, column, severity, message, rule, hint }) => {
      const location = line === null ? file : `${file}:${line}:${column ?? 1}`
      const note = hint !== null && markup`<br><small>${hint}</small>`
      return markup`<li><b class="${severity}">${severity}</b> ${message} <small>${rule}, <bdi>${location}</bdi></small>${note}</li>\n`
    })
  const omitted = messages.length - items.length
  if (items.length === 0) return markup``
  return markup`<ul class="messages">${items}${omitted > 0 && markup`<li>${formatCount(omitted)} more</li>`}</ul>\n`
}

/**
 * Renders a pack with the function that renders prompts on the pages of a catalog.
 * @param id id of the section and prefix of all ids in it
 * @param tokens tokens of all sources; a pack gets its share of the page in proportion
 */
function renderPack(
  { pack: built, text, shown, messages }: WrittenResult,
  id: string,
  tokens: number,
): Html | null {
  if (built === null || text === null) return null
  const pack = JSON.parse(text) as Pack
  const share = Math.max(built.uncompressed_estimate / Math.max(1, tokens), 1 / MAX_PACKS)
  const { rosetta } = pack
  const links = Object.fromEntries((pack.links ?? []).map((address, index) => [index + 1, address]))
  const prompt = built.entries > 0 ? `${rosetta}\n${pack.content}` : pack.content
  const lit = renderLitPrompt(
    { text: prompt, rosetta, links },
    { prefix: id, maxUnits: Math.floor(share * MAX_UNITS) },
  )
  return markup`<section class="lit" id="${id}" aria-labelledby="${id}t">
<h2 id="${id}t"><bdi>${pack.title}</bdi></h2>
<p class="rest"><b>${pack.slug}</b> ${pack.version} · <bdi>${pack.domain}</bdi> › <bdi>${pack.subdomain}</bdi> · ${pack.compression} · ${pack.tokenizer} · <bdi>${shown}</bdi></p>
${renderMessages(messages)}<p class="rest">${describeText(built, lit)}</p>
<pre tabindex="0" role="region" aria-label="Text of ${pack.slug}" dir="auto">
${lit.text}</pre>
<div class="notes">${lit.notes}</div></section>
`
}

function describeText({ entries, compression }: BuiltPack, { entries: lit, isTruncated }: LitPrompt): string {
  const cut = isTruncated
    ? ' This is only its beginning: a page with all of it would be too large for a browser. The command pack decode prints the whole source.'
    : ''
  if (compression === 'none') return `What a model reads: the source as it is.${cut}`
  if (entries === 0)
    return `What a model reads: the source without what no reader sees.${lit > 0 ? ' Point at or tap the number of a link to see its address.' : ''}${cut}`
  if (lit === 0) return `What a model reads. Its terms cannot be marked here.${cut}`
  return `What a model reads: header and text. Point at, focus or tap a marked term to see what it stands for.${cut}`
}

const STYLE = `${createTermStyle(UNSCRIPTED_ENTRIES)}html{scroll-padding:1rem 0 5rem}.verdict{font-size:1.15rem;max-width:52rem}.verdict b{color:var(--accent-ink);font-size:1.5rem}.error{color:var(--bad)}.warning{color:var(--header)}
tbody th svg{display:block;width:100%;min-width:9rem;height:.5rem;margin-top:.3rem;border-radius:3px}th[scope=row]{white-space:normal;min-width:11rem;width:100%}tfoot>tr>*{border:0;border-top:1px solid var(--line-strong)}
rect.content{fill:var(--accent)}rect.header{fill:var(--header)}rect.saved{fill:var(--saved)}
.legend{display:flex;flex-wrap:wrap;gap:.35rem 1.25rem;margin:0;color:var(--quiet);font-size:.875rem}.legend i{display:inline-block;width:.7rem;height:.7rem;border-radius:2px;margin-inline-end:.35rem}.legend .content{background:var(--accent)}.legend .header{background:var(--header)}.legend .saved{background:var(--saved);box-shadow:inset 0 0 0 1px var(--accent)}
.messages{padding:.65rem 1rem .65rem 2rem;background:var(--warm-soft);border:1px solid var(--warm-line);border-radius:var(--radius)}
.lit{content-visibility:auto;contain-intrinsic-size:auto 40rem}pre{max-height:40rem;overflow:auto;margin:.75rem 0;padding:1rem;background:var(--sheet);border:1px solid var(--line);border-radius:var(--radius);font:.8125rem/1.6 var(--mono);white-space:pre-wrap;unicode-bidi:plaintext;tab-size:4}
.rosetta{display:block;max-height:11rem;overflow:auto;margin-bottom:.75rem;padding:.6rem .75rem;border-radius:6px;background:var(--soft);color:var(--quiet)}.notes{position:sticky;bottom:0;z-index:2}
@media (max-width:40rem){th,td{padding:.35rem .5rem}}
@media print{.notes{display:none}pre,.rosetta{max-height:none;overflow:visible}.lit{content-visibility:visible}}
`
