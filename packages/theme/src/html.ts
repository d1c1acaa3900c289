import { hash } from 'node:crypto'

/** Colors and fonts of pages and reports, as CSS variables, in light and dark. */
export const THEME: string = `:root {
  color-scheme: light dark;
  --paper: #fbfaf7; --sheet: #ffffff; --ink: #1d1c1a; --quiet: #5d5a54; --line: #e3dfd6;
  --line-strong: #8a857a; --soft: #f3f0e9; --accent: #0f766e; --accent-ink: #0b5f58; --on-accent: #ffffff;
  --header: #b45309; --saved: #d8ebe7; --source: #8f8a7e; --cost: #918d83; --gain: #0a4a44;
  --found: #fdeaa8; --bad: #b42318; --bad-soft: #fdf0ee; --good: #17663a; --good-soft: #e9f6ee;
  --warm-soft: #fdf4e3; --warm-line: #ecd3a1; --code-key: #7c3aed; --code-text: #0f6b4f; --code-name: #9a4a00;
  --code-title: #1d5fa8;
  --radius: 10px;
  --sans: system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Helvetica Neue', Arial, sans-serif;
  --mono: ui-monospace, 'SF Mono', 'Cascadia Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace;
}

@media (prefers-color-scheme: dark) {
  :root {
    --paper: #161614; --sheet: #1e1e1b; --ink: #ecebe6; --quiet: #aaa69b; --line: #34332e;
    --line-strong: #7d796e; --soft: #262622; --accent: #2dd4bf; --accent-ink: #5eead4; --on-accent: #06231f;
    --header: #f5a742; --saved: #1d3b37; --source: #8d897e; --cost: #716e66; --gain: #5eead4;
    --found: #57480f; --bad: #ff9b8f; --bad-soft: #34201d; --good: #7fd6a0; --good-soft: #17291e;
    --warm-soft: #2d2617; --warm-line: #5c4a22; --code-key: #c4b1ff; --code-text: #7fd6ac; --code-name: #f2b36b;
    --code-title: #8fc1ff;
  }
}
`

class Markup {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

/** Markup that is safe to send: only {@link HtmlTag}s and `trustMarkup` create it. */
export type Html = Markup

/** Booleans, `null` and `undefined` render nothing, so that conditions work. */
export type HtmlValue = Html | string | number | boolean | null | undefined | readonly HtmlValue[]

type HtmlTag = (strings: TemplateStringsArray, ...values: readonly HtmlValue[]) => Html

/** @param show Renders each string after it is escaped. */
function createHtmlTag(show: (escaped: string) => string): HtmlTag {
  return (strings, ...values) => {
    const parts = strings.map((text, at) => (at === 0 ? text : renderValue(values[at - 1], show) + text))
    return new Markup(parts.join(''))
  }
}

export const html: HtmlTag = createHtmlTag((escaped) => escaped)

/**
 * Control characters but tab and line feed, and what changes the writing direction or can hide
 * text. Joiners of emoji and of Indic scripts are excluded.
 */
export const INVISIBLE: RegExp =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB\u{E0000}-\u{E007F}\u{E0100}-\u{E01EF}]/gu

/** Shows invisible characters, such as those that change the writing direction, as code points. */
export const markup: HtmlTag = createHtmlTag((escaped) =>
  escaped.replace(INVISIBLE, (character) => {
    const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
    return `<i class=x>U+${code}</i>`
  }),
)

/** Treats text as markup, without escaping it. Pass only markup that is already safe. */
export function trustMarkup(markup: string): Html {
  return new Markup(markup)
}

const entities = { '"': '&quot;', "'": '&#39;', '&': '&amp;', '<': '&lt;', '>': '&gt;' } as const

function renderValue(value: HtmlValue, show: (escaped: string) => string): string {
  if (value === null || value === undefined || typeof value === 'boolean') return ''
  if (value instanceof Markup) return value.toString()
  if (typeof value === 'object') return value.map((item) => renderValue(item, show)).join('')
  return show(String(value).replace(/["'&<>]/g, (character) => entities[character as keyof typeof entities]))
}

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
