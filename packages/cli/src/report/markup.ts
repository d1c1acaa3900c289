/** Trusted HTML, which is not escaped again. */
export class Markup {
  readonly text: string

  /** @param text trusted HTML; text from a source only after {@link markup} has escaped it */
  constructor(text: string) {
    this.text = text
  }
}

/** A value in a template: text is escaped, numbers and markup are not, lists are joined. */
export type TemplateValue = string | number | Markup | readonly TemplateValue[]

/**
 * Creates HTML from a template. Values are escaped for element content and quoted attributes. Invisible characters, such as
 * those that change the writing direction, are shown by their code points.
 *
 * @example
 * markup`<p>${'a < b'}</p>`.text // '<p>a &lt; b</p>'
 */
export function markup(strings: TemplateStringsArray, ...parts: readonly TemplateValue[]): Markup {
  return new Markup(
    strings.map((text, at) => text + (at < parts.length ? renderValue(parts[at]!) : '')).join(''),
  )
}

export function joinMarkup(parts: readonly Markup[]): Markup {
  return new Markup(parts.map(({ text }) => text).join(''))
}

function renderValue(part: TemplateValue): string {
  if (part instanceof Markup) return part.text
  if (typeof part === 'number') return String(part)
  return typeof part === 'string' ? escape(part) : part.map(renderValue).join('')
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escape(text: string): string {
  const escaped = text.replace(/[&<>"']/g, (character) => ESCAPES[character]!)
  return replaceInvisible(escaped, (name) => `<i class=x>${name}</i>`)
}

/**
 * Control characters except tab and line feed, characters that change the writing direction, zero-width spaces, line
 * separators, and tag characters, which can hide text. The joiners of emoji and of Indic scripts are excluded.
 */
const INVISIBLE =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB\u{E0000}-\u{E007F}\u{E0100}-\u{E01EF}]/gu

/**
 * Replaces each invisible character of a text by its code point.
 *
 * @example
 * replaceInvisible('a\u202Eb', (name) => `[${name}]`) // 'a[U+202E]b'
 */
export function replaceInvisible(text: string, write: (name: string) => string): string {
  return text.replace(INVISIBLE, (character) =>
    write(`U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`),
  )
}
