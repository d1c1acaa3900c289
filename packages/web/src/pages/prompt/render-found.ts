import type { PackSearchPage, PackSummary } from '@packs/catalog'
import { html, type Html } from '@packs/codec/theme'
import { escapeBidi, formatCount, renderLangAttribute } from '../../html/display-text.ts'
import { measureCost } from '../../html/pack-figures.ts'
import { formatPromptPath, type PromptQuery } from './parse-prompt-query.ts'

/** Packs and sections to add. */
export interface PartSearch extends Pick<PackSearchPage, 'hits' | 'corrected'> {
  /** Packs to begin with, if nothing is chosen or searched. */
  readonly newest: readonly PackSummary[]
  readonly problem: string | undefined
}

/** Renders what a search found, or packs to begin with, each with a link that adds it. */
export function renderFound(
  query: PromptQuery,
  { hits, newest, corrected, problem }: PartSearch,
): Html | false {
  if (problem !== undefined) return html`<p class="note">${problem}.</p>`
  if (query.find === '') {
    if (newest.length === 0) return false
    const [first, second] = newest
    const example = formatPromptPath({ ...query, packs: [first, second].flatMap((pack) => pack?.slug ?? []) })
    return html`<p class="quiet">
        Search for what you need, or begin with a pack.
        ${second !== undefined && html`<a href="${example}" rel="nofollow" data-key="example">See an example of two packs</a>.`}
      </p>
      <h2 class="label">Newest packs</h2>
      <ul class="found">
        ${newest.map((pack) => html`<li>${renderFoundPack(query, pack, measureCost(pack).prompt)}</li>`)}
      </ul>`
  }
  const close = html`<a class="clear" href="${formatPromptPath({ ...query, find: '' })}" data-key="clear"
    >Clear</a
  >`
  if (hits.length === 0)
    return html`<p class="quiet found-none">Nothing matches. Try fewer or other words. ${close}</p>`
  const groups = new Map<string, typeof hits>()
  for (const hit of hits) groups.set(hit.pack.slug, [...(groups.get(hit.pack.slug) ?? []), hit])
  return html`<p class="found-head quiet">
      ${corrected !== null ? html`Found for <b dir="auto">${escapeBidi(corrected)}</b>` : 'Found'} ${close}
    </p>
    <ul class="found">
      ${[...groups.values()].map((group) => {
        const { pack } = group[0]!
        const { prompt_tokens: paid = pack.token_count + pack.rosetta_tokens } = pack as {
          readonly prompt_tokens?: number
        }
        const sections = group.flatMap((hit) => [hit, ...hit.also]).flatMap(({ section }) => section ?? [])
        return html`<li>
          ${renderFoundPack(query, pack, paid)}
          ${
            sections.length > 0 &&
            html`<ul>
              ${sections.slice(0, 4).map((section) => html`<li>${renderFoundSection(query, pack.slug, section)}</li>`)}
            </ul>`
          }
        </li>`
      })}
    </ul>`
}

function renderFoundPack(
  query: PromptQuery,
  { slug, title }: Pick<PackSummary, 'slug' | 'title'>,
  tokens: number,
): Html {
  const isChosen = query.packs.some((name) => name === slug || name.startsWith(`${slug}@`))
  const path = formatPromptPath({ ...query, packs: [...query.packs, slug] })
  return html`<span class="found-name"
      ><a href="/browse/${slug}"><bdi ${renderLangAttribute(title)}>${escapeBidi(title)}</bdi></a>
      <span class="quiet">${formatCount(tokens, 'token')}</span></span
    >
    ${renderAdd(isChosen, path, title, slug)}`
}

type HitSection = NonNullable<PackSearchPage['hits'][number]['section']>

function renderFoundSection(query: PromptQuery, slug: string, { id, title, path, tokens }: HitSection): Html {
  const name = `${slug}/${id}`
  const shown = (path.at(-1) ?? title) || 'Beginning'
  const target = formatPromptPath({ ...query, sections: [...query.sections, name] })
  return html`<span class="found-name"
      ><bdi ${renderLangAttribute(shown)}>${escapeBidi(shown)}</bdi>
      <span class="quiet">${formatCount(tokens, 'token')}</span></span
    >
    ${renderAdd(query.sections.includes(name), target, shown, name)}`
}

function renderAdd(isChosen: boolean, path: string, title: string, key: string): Html {
  if (isChosen) return html`<span class="added quiet">Added</span>`
  return html`<a
    class="button small"
    href="${path}"
    rel="nofollow"
    aria-label="Add ${escapeBidi(title)}"
    data-key="add ${key}"
    >Add</a
  >`
}
