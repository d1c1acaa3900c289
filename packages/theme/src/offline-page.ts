import { hash } from 'node:crypto'
import { type HtmlValue, markup, THEME, trustMarkup } from './html.ts'

export interface OfflinePage {
  readonly title: string
  /** The command that writes the page. */
  readonly generator: string
  /** Id of the first part of `main`, which the first link of the page leads to. */
  readonly skipTo: string
  readonly header: HtmlValue
  readonly main: HtmlValue
  readonly footer: HtmlValue
  /** Rules after those that all pages have. */
  readonly style: string
  readonly script?: string
}

/** For opening offline, keeping or sending: it allows no requests, and only its own style. */
export function renderOfflinePage(page: OfflinePage): string {
  const { skipTo, header, main, footer, script } = page
  const style = `${STYLE}${page.style}`
  const scripts = script === undefined ? '' : `; script-src 'sha256-${hash('sha256', script, 'base64')}'`
  const policy = `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'${scripts}; base-uri 'none'; form-action 'none'`
  // A title has no elements, so it cannot show the code points of invisible characters.
  const title = page.title.replaceAll(/\p{C}/gu, '\u{FFFD}')
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${trustMarkup(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="${page.generator}">
<title>${title}</title>
<style>${trustMarkup(style)}</style>
</head>
<body>
<a class="skip" href="#${skipTo}">Skip to the content</a>
<header><h1>${title}</h1>
${header}</header>
<main>
${main}</main>
<footer>${footer}</footer>
${script !== undefined && markup`<script>${trustMarkup(script)}</script>\n`}</body>
</html>
`.toString()
}

const STYLE = `${THEME}
*{box-sizing:border-box}html{-webkit-text-size-adjust:100%}body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.6 var(--sans);overflow-wrap:anywhere}a{color:var(--accent-ink)}:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:4px}
.skip{position:absolute;left:-999rem}.skip:focus{left:1rem;top:.5rem;z-index:4;background:var(--sheet);padding:.25rem .75rem}header,main,footer{padding:0 clamp(1rem,3vw,2.5rem);max-width:76rem;margin:0 auto}header{padding-top:1.5rem}footer{padding-block:2rem}.rest{color:var(--quiet);margin:.35rem 0 .75rem;font-size:.925rem;max-width:52rem}
h1,h2,h3{line-height:1.25;letter-spacing:-.015em;text-wrap:balance}h1{margin:0;font-size:clamp(1.5rem,1.3rem + 1.4vw,2.1rem)}h2{margin:2.75rem 0 .75rem;font-size:1.5rem}h3{margin:1.5rem 0 .5rem;font-size:1.05rem;letter-spacing:0}
ul{margin:.75rem 0;padding-inline-start:1.2rem}.scroll{overflow:auto;margin:1rem 0;background:var(--sheet);border:1px solid var(--line);border-radius:var(--radius)}table{border-collapse:collapse;width:100%;font-size:.925rem;font-variant-numeric:tabular-nums}
th,td{padding:.4rem .75rem;text-align:start;border-bottom:1px solid var(--line);overflow-wrap:normal}tbody th{font-weight:600}tbody tr:last-child>*{border-bottom:0}thead th{background:var(--soft);color:var(--quiet);font-weight:600}th,.n{white-space:nowrap}.n{text-align:end}
.x{font-style:normal;font-size:.8em;padding:0 .2em;border-radius:2px;background:var(--bad);color:var(--paper);unicode-bidi:isolate;white-space:nowrap}
@media print{.skip{display:none}.scroll{overflow:visible}tr{break-inside:avoid}h2,h3{break-after:avoid}}
`
