import { createHash } from 'node:crypto'
import { formatCount } from '../output/format-table.ts'
import { markup, Markup } from './markup.ts'
import { renderIndex, type ReportedPack } from './render-index.ts'
import { countElements } from './render-rows.ts'
import { REPORT_SCRIPT } from './report-script.ts'
import { createStyle } from './report-style.ts'

/** Renders the whole page. It loads nothing, runs the one script it holds, and no other. */
export function renderPage(packs: readonly ReportedPack[], left: number): string {
  const entries = Math.max(0, ...packs.map(({ built }) => built?.entries ?? 0))
  const unscripted = countUnscripted(packs)
  const style = createStyle(Math.min(entries, unscripted))
  const policy = `default-src 'none'; style-src '${hash(style)}'; script-src '${hash(REPORT_SCRIPT)}'; base-uri 'none'; form-action 'none'`
  const title =
    packs.length === 1
      ? `Build of ${packs[0]!.built?.slug ?? packs[0]!.shown}`
      : `Build of ${formatCount(packs.length + left)} packs`
  const isSingle = packs.length === 1 && packs[0]!.section !== null
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Markup(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="pack build --report">
<title>${title}</title>
<style>${new Markup(style)}</style>
</head>
<body>
<a class="skip" href="#packs">To the packs</a>
<header class="top"><h1>${BRAND}${title}</h1>
${renderView()}</header>
<main id="packs">
${isSingle ? '' : renderIndex(packs, left)}${packs.map(({ section }) => section ?? '')}</main>
<footer><p>Every number is a count of tokens in the tokenizer named with the pack. Net saved is 100 × (1 − (content + header) ÷ source).</p>
${unscripted < entries ? markup`<p class="unscripted">As no script runs, only the best ${unscripted} entries of a pack are lit up.</p>\n` : ''}</footer>
<script>${new Markup(REPORT_SCRIPT)}</script>
</body>
</html>
`.text
}

/**
 * The entries of a pack that can be lit up without a script, so that a browser, which looks for each of them in the whole page
 * whenever the pointer moves, keeps up.
 */
function countUnscripted(packs: readonly ReportedPack[]): number {
  const elements = packs.reduce((sum, { section }) => sum + (section ? countElements(section) : 0), 1)
  return Math.floor(MOST_LOOKS / elements)
}

/** The mark of the pages. */
const BRAND = new Markup(
  '<svg viewBox="0 0 20 20" aria-hidden="true"><rect class="content" x="2" y="3" width="16" height="4" rx="1"></rect><rect class="content" x="2" y="9" width="10" height="4" rx="1"></rect><rect class="header" x="2" y="15" width="6" height="3" rx="1"></rect></svg>',
)
const MOST_LOOKS = 4_000_000

function renderView(): Markup {
  return markup`<fieldset class="view"><legend>Show</legend>
<label><input type="radio" name="view" id="view-entries" checked> Entries</label>
<label><input type="radio" name="view" id="view-tokens"> Tokens</label></fieldset>
`
}

function hash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
