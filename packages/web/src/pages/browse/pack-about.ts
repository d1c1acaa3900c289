import type { PackSummary } from '@packs/catalog'
import { escapeBidi, renderLangAttribute } from '../../html/display-text.ts'
import { formatNumber } from '../../html/format-values.ts'
import { html, type Html } from '@packs/codec/theme'

/** How much of a description and how many tags are shown. */
export interface AboutLimits {
  /** Code points of the description. */
  readonly characters: number
  readonly tags: number
}

/** Renders the description and the tags that the author of a pack has written, if any. */
export function renderAbout(
  { title, description, tags = [] }: Pick<PackSummary, 'title' | 'description' | 'tags'>,
  limits: AboutLimits,
): Html {
  const around = `${title} ${description ?? ''}`
  const shown = tags.slice(0, limits.tags)
  return html`${
    description !== undefined &&
    html`<p class="about" dir="auto" ${renderLangAttribute(description, title)}>
      ${escapeBidi(cutText(description, limits.characters))}
    </p>`
  }
  ${
    shown.length > 0 &&
    html`<p class="tags quiet">
      <span>Tags:</span>
      ${shown.map((tag) => html`<bdi class="tag" ${renderLangAttribute(tag, around)}>${escapeBidi(tag)}</bdi> `)}
      ${tags.length > shown.length && html`<span>and ${formatNumber(tags.length - shown.length)} more</span>`}
    </p>`
  }`
}

/**
 * Cuts a text to at most so many code points, between words if one ends in the last fifth.
 *
 * @example
 * cutText('one two three', 9) // 'one two…'
 */
export function cutText(text: string, characters: number): string {
  const all = Array.from(text)
  if (all.length <= characters) return text
  const beginning = all.slice(0, characters - 1).join('')
  const space = beginning.lastIndexOf(' ')
  return `${(space > beginning.length * 0.8 ? beginning.slice(0, space) : beginning).trimEnd()}…`
}
