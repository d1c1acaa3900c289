class Markup {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

/** Markup that is safe to send: only tags and `trustMarkup` make it. `String(markup)` gives its text. */
export type Html = Markup

/** A value in a template. Booleans, `null` and `undefined` write nothing, so that a condition can stand there. */
export type HtmlValue = Html | string | number | boolean | null | undefined | readonly HtmlValue[]

/** The tag of a template that is markup. */
export type HtmlTag = (strings: TemplateStringsArray, ...values: readonly HtmlValue[]) => Html

/**
 * Creates a tag that escapes strings, keeps nested markup as it is, and joins arrays.
 *
 * @param show writes each string after it was escaped
 * @example
 * const markup = createHtmlTag((text) => text.replaceAll('\u202E', '<i>U+202E</i>'))
 */
export function createHtmlTag(show: (escaped: string) => string): HtmlTag {
  return (strings, ...values) => {
    const parts = strings.map((text, at) => (at === 0 ? text : renderValue(values[at - 1], show) + text))
    return new Markup(parts.join(''))
  }
}

/**
 * Builds markup from a template.
 *
 * @example
 * html`<ul title="${title}">${names.map((name) => html`<li>${name}</li>`)}</ul>`
 */
export const html: HtmlTag = createHtmlTag((escaped) => escaped)

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

function renderValue(value: HtmlValue, show: (escaped: string) => string): string {
  if (value === null || value === undefined || typeof value === 'boolean') return ''
  if (value instanceof Markup) return value.toString()
  if (typeof value === 'object') return value.map((item) => renderValue(item, show)).join('')
  return show(String(value).replace(/["'&<>]/g, (character) => entities.get(character) ?? ''))
}
