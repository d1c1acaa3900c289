/** Colors and fonts of pages and reports, as CSS variables, in light and dark. */
export const THEME: string = `:root {
  color-scheme: light dark;
  --paper: #fbfaf7;
  --sheet: #ffffff;
  --ink: #1d1c1a;
  --quiet: #5d5a54;
  --line: #e3dfd6;
  --line-strong: #8a857a;
  --soft: #f3f0e9;
  --accent: #0f766e;
  --accent-ink: #0b5f58;
  --on-accent: #ffffff;
  --header: #b45309;
  --saved: #d8ebe7;
  --source: #8f8a7e;
  --cost: #918d83;
  --gain: #0a4a44;
  --found: #fdeaa8;
  --bad: #b42318;
  --bad-soft: #fdf0ee;
  --good: #17663a;
  --good-soft: #e9f6ee;
  --warm-soft: #fdf4e3;
  --warm-line: #ecd3a1;
  --code-key: #7c3aed;
  --code-text: #0f6b4f;
  --code-name: #9a4a00;
  --code-title: #1d5fa8;
  --radius: 10px;
  --sans: system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Helvetica Neue', Arial, sans-serif;
  --mono: ui-monospace, 'SF Mono', 'Cascadia Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace;
}

@media (prefers-color-scheme: dark) {
  :root {
    --paper: #161614;
    --sheet: #1e1e1b;
    --ink: #ecebe6;
    --quiet: #aaa69b;
    --line: #34332e;
    --line-strong: #7d796e;
    --soft: #262622;
    --accent: #2dd4bf;
    --accent-ink: #5eead4;
    --on-accent: #06231f;
    --header: #f5a742;
    --saved: #1d3b37;
    --source: #8d897e;
    --cost: #716e66;
    --gain: #5eead4;
    --found: #57480f;
    --bad: #ff9b8f;
    --bad-soft: #34201d;
    --good: #7fd6a0;
    --good-soft: #17291e;
    --warm-soft: #2d2617;
    --warm-line: #5c4a22;
    --code-key: #c4b1ff;
    --code-text: #7fd6ac;
    --code-name: #f2b36b;
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

/** A template tag that returns markup. */
type HtmlTag = (strings: TemplateStringsArray, ...values: readonly HtmlValue[]) => Html

/** @param show Renders each string after it is escaped. */
function createHtmlTag(show: (escaped: string) => string): HtmlTag {
  return (strings, ...values) => {
    const parts = strings.map((text, at) => (at === 0 ? text : renderValue(values[at - 1], show) + text))
    return new Markup(parts.join(''))
  }
}

/** Builds markup from a template. */
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

const entities: ReadonlyMap<string, string> = new Map([
  ['"', '&quot;'],
  ["'", '&#39;'],
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
])

function renderValue(value: HtmlValue, show: (escaped: string) => string): string {
  if (value === null || value === undefined || typeof value === 'boolean') return ''
  if (value instanceof Markup) return value.toString()
  if (typeof value === 'object') return value.map((item) => renderValue(item, show)).join('')
  return show(String(value).replace(/["'&<>]/g, (character) => entities.get(character) ?? ''))
}
