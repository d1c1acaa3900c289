import type { PackSummary } from '@packs/catalog'
import {
  escapeBidi,
  renderLangAttribute,
  formatNumber,
  formatCount,
  formatFragment,
} from '../../html/display-text.ts'
import { html, type Html } from '@packs/theme'
import type { Scope } from '../../documents/read-for-people.ts'
import type { ContentsEntry, Rendering } from '../../rendering/create-renderer.ts'

/** Renders the description and tags from the author of a pack, if any, up to these limits. */
export function renderAbout(
  { title, description, tags = [] }: Pick<PackSummary, 'title' | 'description' | 'tags'>,
  limits: { readonly characters: number; readonly tags: number },
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
 * Truncates a text to a number of code points, between words if one ends in the last fifth.
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

/** Nests the headings; nothing for fewer than two. Those beyond the shown part have no link. */
export function renderContents({ contents }: Rendering, scope: Scope): Html | false {
  const { entries, total } = contents
  if (entries.length < 2) return false
  const more = total - entries.length
  const hasLinks = entries.some(({ isLinked }) => isLinked)
  return html`<nav class="contents" aria-label="Contents">
    <details>
      <summary>Contents <span class="quiet">${formatCount(total, 'section')}</span></summary>
      <div>
        ${renderEntries(entries)}
        ${more > 0 && html`<p class="quiet">And ${formatCount(more, 'more section')}.</p>`}
        ${
          hasLinks &&
          entries.some(({ isLinked }) => !isLinked) &&
          html`<p class="quiet">
            Sections without a link are beyond
            ${scope === 'preview' ? 'the preview' : 'the part that this page shows'}.
          </p>`
        }
      </div>
    </details>
  </nav>`
}

/** Renders lists with lower-level headings nested below the one before, at most six lists deep. */
function renderEntries(entries: readonly ContentsEntry[]): Html | false {
  if (entries.length === 0) return false
  const items: Html[] = []
  let at = 0
  while (at < entries.length) {
    const entry = entries[at]!
    let end = at + 1
    while (end < entries.length && entries[end]!.level > entry.level) end++
    items.push(html`<li>${renderEntry(entry)} ${renderEntries(entries.slice(at + 1, end))}</li>`)
    at = end
  }
  return html`<ul>
    ${items}
  </ul>`
}

/** A heading without a link has its id here, so that links to it lead to its entry in the list. */
function renderEntry({ id, title, isLinked }: ContentsEntry): Html {
  const name = html`<bdi ${renderLangAttribute(title)}>${title === '' ? 'Untitled' : escapeBidi(title)}</bdi>`
  return isLinked
    ? html`<a href="${formatFragment(id)}">${name}</a>`
    : html`<span id="${id}" class="quiet">${name}</span>`
}
