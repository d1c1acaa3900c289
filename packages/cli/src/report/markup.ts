import { nameHidden } from './name-hidden.ts'

/** HTML that is written as it stands. */
export class Markup {
  readonly text: string

  /** @param text trusted: nothing from a source, unless {@link markup} has escaped it */
  constructor(text: string) {
    this.text = text
  }
}

/** What a template takes: text and numbers are escaped, markup is not, lists are joined. */
export type Part = string | number | Markup | readonly Part[]

/**
 * Makes HTML of a template. Text in it can neither end an element nor an attribute in quotes, and characters that nobody
 * sees, such as those that turn the direction of writing, are written by their names.
 *
 * @example
 * markup`<p>${'a < b'}</p>`.text // '<p>a &lt; b</p>'
 */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.map((text, at) => text + (at < parts.length ? write(parts[at]!) : '')).join(''))
}

/** Joins markup. */
export function join(parts: readonly Markup[]): Markup {
  return new Markup(parts.map(({ text }) => text).join(''))
}

function write(part: Part): string {
  if (part instanceof Markup) return part.text
  if (typeof part === 'number') return String(part)
  return typeof part === 'string' ? escape(part) : part.map(write).join('')
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
  return nameHidden(escaped, (name) => `<i class=x>${name}</i>`)
}
