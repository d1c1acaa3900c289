class Markup {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

/** Markup that is safe to send: only `html` and `trustMarkup` make it. `String(markup)` gives its text. */
export type Html = Markup

/** A value in a template. Booleans, `null` and `undefined` write nothing, so that a condition can stand there. */
export type HtmlValue = Html | string | number | boolean | null | undefined | readonly HtmlValue[]

/**
 * Builds markup from a template: escapes strings, keeps nested markup as it is, and joins arrays.
 *
 * @example
 * html`<ul title="${title}">${names.map((name) => html`<li>${name}</li>`)}</ul>`
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const parts = strings.map((text, at) => (at === 0 ? text : renderValue(values[at - 1]) + text))
  return new Markup(parts.join(''))
}

/** Takes text as markup without escaping it. Pass only markup that is already safe. */
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

function renderValue(value: HtmlValue): string {
  if (value === null || value === undefined || typeof value === 'boolean') return ''
  if (value instanceof Markup) return value.toString()
  if (typeof value === 'object') return value.map(renderValue).join('')
  return String(value).replace(/["'&<>]/g, (character) => entities.get(character) ?? '')
}
