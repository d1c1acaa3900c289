/** HTML that is written as it stands. */
export class Markup {
  readonly text: string

  /** @param text trusted: nothing from a source, unless {@link markup} has escaped it */
  constructor(text: string) {
    this.text = text
  }
}

/** What a template takes: text and numbers are escaped, markup is not, lists are joined. */
export type TemplateValue = string | number | Markup | readonly TemplateValue[]

/**
 * Makes HTML of a template. Text in it can neither end an element nor an attribute in quotes, and characters that nobody
 * sees, such as those that turn the direction of writing, are written by their names.
 *
 * @example
 * markup`<p>${'a < b'}</p>`.text // '<p>a &lt; b</p>'
 */
export function markup(strings: TemplateStringsArray, ...parts: readonly TemplateValue[]): Markup {
  return new Markup(
    strings.map((text, at) => text + (at < parts.length ? renderValue(parts[at]!) : '')).join(''),
  )
}

/** Joins markup. */
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
 * Control characters but tab and line feed, those that turn the direction of writing, spaces without width, line separators,
 * and tags, in which text can be hidden. The joiners of emoji and of Indic scripts are left alone.
 */
const INVISIBLE =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB\u{E0000}-\u{E007F}\u{E0100}-\u{E01EF}]/gu

/**
 * Writes what stands in a text unseen by its number.
 *
 * @example
 * nameHidden('a\u202Eb', (name) => `[${name}]`) // 'a[U+202E]b'
 */
export function replaceInvisible(text: string, write: (name: string) => string): string {
  return text.replace(INVISIBLE, (character) =>
    write(`U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`),
  )
}
