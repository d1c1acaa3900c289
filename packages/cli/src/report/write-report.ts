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
import {
  countSaved,
  formatSaving,
  formatParts,
  formatVerdict,
  type BuiltPack,
  sumTokens,
  type WrittenReport,
  type WrittenResult,
} from '../output/build-result.ts'
import { type Diagnostic, formatPath } from '@packs/files'
import { formatCount, formatNumber, formatPercent } from '../output/terminal.ts'
import { makeOutputFolder, writeAtomic } from '../output/write-file.ts'

const MAX_PACKS = 300
/** UTF-16 units of all texts; each may take an element, and with more browsers are slow. */
const MAX_UNITS = 200_000
const MAX_MESSAGES = 5
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
  // As in the terminal: those that save most, and last those that have no pack.
  const rank = ({ pack }: WrittenResult): number => (pack === null ? -Infinity : countSaved(pack))
  const shown = results.toSorted((a, b) => rank(b) - rank(a) || 0).slice(0, MAX_PACKS)
  const tokens = shown.reduce((sum, { pack }) => sum + (pack?.uncompressed_estimate ?? 0), 0)
  const sections = shown.map((result, at) => renderPack(result, `p${at}`, tokens))
  const failed = results.filter(({ pack }) => pack === null)
  const omitted = results.length - shown.length
  const only = results.length === 1 ? results[0] : undefined
  return renderOfflinePage({
    title: only
      ? `Build of ${only.pack?.slug ?? only.shown}`
      : `Build of ${formatNumber(results.length, 'page')}`,
    generator: 'pack build --report',
    skipTo: 'packs',
    header: renderVerdict(results),
    main: markup`${failed.length > 0 && renderFailed(failed)}
${failed.length < results.length && renderTable(shown)}${omitted > 0 && markup`<p class="rest">${formatCount(omitted)} more pages were built; a report with all of them would be too large for a browser.</p>`}${sections}`,
    footer: markup`<p class="rest">Token counts are in the tokenizer named with each pack. Less is 100 × (1 − (text + header) ÷ source).</p>`,
    style: STYLE,
    script: TERM_SCRIPT,
  })
}

function renderVerdict(results: readonly WrittenResult[]): Html {
  const built = results.filter(({ pack, status }) => pack !== null && status !== 'failed')
  if (built.length === 0)
    return markup`<p class="verdict error">${formatNumber(results.length, 'page')} failed; no pack was written.</p>`
  const tokens = sumTokens(built.flatMap(({ pack }) => pack ?? []))
  const header = tokens.header > 0 && markup` <span><i class="header"></i>header, paid</span>`
  const saved = tokens.saved > 0 && markup` <span><i class="saved"></i>saved</span>`
  return markup`<p class="verdict">${formatVerdict(results)}</p>
${renderBar(tokens)}
<p class="legend"><span><i class="content"></i>text, paid</span>${header}${saved}</p>
<p class="rest">${[formatParts(built), 'Each was restored to its source, byte for byte.'].filter(Boolean).join('. ')}</p>`
}

/** On a narrow screen only the first two are shown. */
const HEADS = ['Saved', 'Less', 'Source', 'Text', 'Header']

function renderTable(results: readonly WrittenResult[]): Html {
  const heads = HEADS.map((name) => markup`<th scope="col" class="n">${name}</th>`)
  const lines = results.map((result, at) => result.pack && renderLine(result.pack, result, at))
  const built = results.flatMap(({ pack, status }) => (pack === null || status === 'failed' ? [] : pack))
  const { source, content, header, saved } = sumTokens(built)
  const total = renderNumbers(source - content - header, formatPercent(saved), source, content, header)
  return markup`<section aria-labelledby="packs"><h2 id="packs">Packs</h2>
<div class="scroll" role="region" tabindex="0" aria-label="Figures of every pack"><table>
<thead><tr><th scope="col">Pack</th>${heads}</tr></thead>
<tbody>
${lines}</tbody>
${built.length > 1 && markup`<tfoot><tr><th scope="row">${formatCount(built.length)} packs</th>${total}</tr></tfoot>\n`}</table></div></section>
`
}

function renderLine(built: BuiltPack, { status, text }: WrittenResult, at: number): Html {
  const { uncompressed_estimate: source, token_count: content, rosetta_tokens: header } = built
  const cells = renderNumbers(countSaved(built), formatSaving(built), source, content, header)
  const name = text === null ? markup`${built.slug}` : markup`<a href="#p${at}">${built.slug}</a>`
  const state = status === 'failed' && markup` <b class="error">not written</b>`
  return markup`<tr><th scope="row">${name}${state}${renderBar({ source, content, header })}</th>${cells}</tr>
`
}

function renderNumbers(...cells: readonly (number | string)[]): Html[] {
  return cells.map(
    (cell) => markup`<td class="n">${typeof cell === 'number' ? formatCount(cell) : cell}</td>`,
  )
}

type Bar = Pick<ReturnType<typeof sumTokens>, 'source' | 'content' | 'header'>

/** As on the pages of a catalog. Hidden from assistive technology: the numbers say the same. */
function renderBar({ source, content, header }: Bar): Html {
  const paid = content + header
  const share = (tokens: number): number => Math.round((10_000 * tokens) / Math.max(1, source, paid)) / 100
  return markup`<svg aria-hidden="true"><rect class="content" width="${share(content)}%" height="100%"></rect>${header > 0 && markup`<line class="header" x1="${share(content)}%" x2="${share(paid)}%" y1="50%" y2="50%"></line>`}${paid < source && markup`<rect class="saved" x="${share(paid)}%" width="100%" height="100%"></rect>`}</svg>`
}

function renderFailed(results: readonly WrittenResult[]): Html {
  const parts = results.map(
    ({ shown, messages }) => markup`<h3><bdi>${shown}</bdi></h3>\n${renderMessages(messages)}`,
  )
  return markup`<section aria-labelledby="failed"><h2 id="failed">Not built</h2>
${parts}</section>
`
}

function renderMessages(all: readonly Diagnostic[]): Html {
  const messages = all.filter(({ severity }) => severity !== 'info')
  const items = messages
    .slice(0, MAX_MESSAGES)
    .map(({ file, line, column, severity, message, rule, hint }, at) => {
      const location = line === null ? file : `${file}:${line}:${column ?? 1}`
      const note = hint !== null && hint !== messages[at - 1]?.hint && markup`<br><small>${hint}</small>`
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
  const { rosetta, patch = [] } = pack
  const links = Object.fromEntries((pack.links ?? []).map((address, index) => [index + 1, address]))
  const prompt = built.entries > 0 ? `${rosetta}\n${pack.content}` : pack.content
  const lit = renderLitPrompt(
    { text: prompt, rosetta, links, patch },
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
  const left = 'What a model reads; what left the source is struck through.'
  const links = lit > entries || (entries === 0 && lit > 0)
  const numbers = links ? ' Point at or tap the number of a link to see its address.' : ''
  if (entries === 0) return `${left}${numbers}${cut}`
  if (lit === 0) return `${left} Its terms cannot be marked here.${cut}`
  return `${left} Point at, focus or tap a marked term to see what it stands for.${cut}`
}

const STYLE = `${createTermStyle(UNSCRIPTED_ENTRIES)}html{scroll-padding:1rem 0 5rem}.verdict,.rest{text-wrap:pretty}.verdict{font-size:1.25rem;font-weight:600;max-width:52rem}.error{color:var(--bad)}.warning{color:var(--header)}
svg{display:block;width:100%;height:.75rem;border-radius:3px}tbody th svg{min-width:9rem;height:.5rem;margin-top:.3rem}th[scope=row]{white-space:normal;min-width:11rem;width:100%}tfoot>tr>*{border:0;border-top:1px solid var(--line-strong)}
rect.content{fill:var(--cost)}line.header{stroke:var(--cost);stroke-width:100;stroke-dasharray:2 2;stroke-dashoffset:2}rect.saved{fill:var(--gain);transform:translateX(2px)}
.legend{display:flex;flex-wrap:wrap;gap:.35rem 1.25rem;margin:.5rem 0 0;color:var(--quiet);font-size:.875rem}.legend i{display:inline-block;width:.7rem;height:.7rem;border-radius:2px;margin-inline-end:.35rem;print-color-adjust:exact}.legend .content{background:var(--cost)}.legend .header{background:repeating-linear-gradient(to right,var(--cost) 0 2px,transparent 2px 4px)}.legend .saved{background:var(--gain)}
@media (forced-colors:active){rect.content{fill:GrayText}line.header{stroke:CanvasText}rect.saved{fill:Highlight}.legend i{forced-color-adjust:none}}
.messages{padding:.65rem 1rem .65rem 2rem;background:var(--warm-soft);border:1px solid var(--warm-line);border-radius:var(--radius)}
.lit{content-visibility:auto;contain-intrinsic-size:auto 40rem}pre{max-height:40rem;overflow:auto;margin:.75rem 0;padding:1rem;background:var(--sheet);border:1px solid var(--line);border-radius:var(--radius);font:.8125rem/1.6 var(--mono);white-space:pre-wrap;unicode-bidi:plaintext;tab-size:4}
.rosetta{display:block;max-height:11rem;overflow:auto;margin-bottom:.75rem;padding:.6rem .75rem;border-radius:6px;background:var(--soft);color:var(--quiet)}.notes{position:sticky;bottom:0;z-index:2}
@media (max-width:40rem){th,td{padding:.35rem .5rem}tr>:nth-child(n+4){display:none}}
@media print{.notes{display:none}pre,.rosetta{max-height:none;overflow:visible}.lit{content-visibility:visible}}
`
