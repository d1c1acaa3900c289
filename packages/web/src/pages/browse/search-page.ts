import type { PackSearchPage } from '@packs/catalog'
import {
  escapeBidi,
  renderLangAttribute,
  formatCount,
  formatFragment,
  formatNumber,
} from '../../html/display-text.ts'
import { html, type Html } from '@packs/codec/theme'
import { describeExceededQuota, type Access } from './decide-access.ts'
import { renderFrame, renderPastEnd, type ListFrame } from './list-frame.ts'
import { cutText } from './pack-about.ts'
import { formatBrowsePath, type BrowseQuery } from './parse-browse-query.ts'

export interface SearchView extends Pick<ListFrame, 'query' | 'domains'> {
  readonly found: PackSearchPage
  /** How much of a pack the visitor may see, and what the search cost. */
  readonly access: Access
  readonly now: Date
}

type SearchHit = PackSearchPage['hits'][number]
type SectionHit = SearchHit['also'][number]
type FoundPack = SearchHit['pack']

const MAX_HEADING = 80
const MAX_ALSO = 5

/** Renders search results, best first. Consecutive results of one pack share a card. */
export function renderSearch(view: SearchView): Html {
  const { found, query } = view
  const { hits, total } = found
  const list = html`${renderNotes(found)} ${renderCost(view)}
  ${
    hits.length > 0
      ? html`<ul class="packs results">
          ${groupByPack(hits).map((group) => renderPackHits(group, view))}
        </ul>`
      : total > 0
        ? renderPastEnd(query)
        : renderNothing(query)
  }`
  return renderFrame({ ...view, total, shown: hits.length, noun: 'result' }, list)
}

function renderNotes({ corrected, index }: PackSearchPage): Html {
  return html`${
    index === 'unavailable' &&
    html`<p class="note">For now, only titles are searched, because the text is not indexed.</p>`
  }
  ${
    index === 'building' &&
    html`<p class="note">The text is still being indexed. For now, some packs are found only by title.</p>`
  }
  ${corrected !== null && html`<p>Showing results for <b dir="auto">${escapeBidi(corrected)}</b>.</p>`}`
}

/** A search that shows more than previews is charged as a request, as in the API. */
function renderCost({ access, now }: SearchView): Html | false {
  if (access.reason === 'pro')
    return html`<p class="quiet">
      Each search counts as a request. You have ${formatNumber(access.state.remaining)} left today.
    </p>`
  if (access.reason !== 'quota-exceeded') return false
  const { reason, hint } = describeExceededQuota(access.state, now)
  return html`<p class="note">Results show only previews. ${reason}. ${hint}</p>`
}

/** Groups consecutive hits of one pack. */
function groupByPack(hits: readonly SearchHit[]): readonly (readonly SearchHit[])[] {
  const groups: SearchHit[][] = []
  for (const hit of hits) {
    const last = groups.at(-1)
    if (last !== undefined && last[0]!.pack.id === hit.pack.id) last.push(hit)
    else groups.push([hit])
  }
  return groups
}

function renderPackHits(hits: readonly SearchHit[], view: SearchView): Html {
  const { pack } = hits[0]!
  const { title, slug, domain_slug } = pack
  const domain = view.domains.find((known) => known.domain_slug === domain_slug)?.domain ?? domain_slug
  const whole = hits.find(({ section }) => section === null)
  const sections = hits.filter(({ section }) => section !== null)
  const also = hits.flatMap((hit) => hit.also).slice(0, MAX_ALSO)
  return html`<li>
    <h2>
      <a href="/browse/${slug}"><bdi ${renderLangAttribute(title)}>${escapeBidi(title)}</bdi></a>
    </h2>
    <p class="quiet meta">
      <bdi ${renderLangAttribute(domain, title)}>${escapeBidi(domain)}</bdi>
      <span class="chip">${pack.difficulty}</span>
      <span>${formatCount(pack.token_count + pack.rosetta_tokens, 'token')}</span>
    </p>
    ${whole !== undefined && whole.snippet !== null && renderSnippet(whole.snippet, title)}
    ${
      sections.length > 0 &&
      html`<ul class="hits">
        ${sections.map((hit) => html`<li>${renderHit(hit, pack, view.access)}</li>`)}
      </ul>`
    }
    ${
      also.length > 0 &&
      html`<p class="quiet also">
        Also: ${also.map((hit, at) => html`${at > 0 && ' · '}${renderSectionLink(hit, pack, 'title')}`)}
      </p>`
    }
  </li>`
}

function renderHit(hit: SectionHit, pack: FoundPack, { scope }: Access): Html {
  return html`<p>
      ${renderSectionLink(hit, pack, 'path')}
      <span class="quiet count">${formatCount(hit.section?.tokens ?? 0, 'token')}</span>
    </p>
    ${
      hit.snippet === null
        ? scope === 'preview' && html`<p class="quiet">This section is beyond the preview.</p>`
        : renderSnippet(hit.snippet, pack.title)
    }`
}

function renderSectionLink(
  { section }: SectionHit,
  { slug, title }: FoundPack,
  show: 'path' | 'title',
): Html {
  const path = section?.path ?? []
  const names = path.length === 0 ? ['Beginning'] : show === 'path' ? path : path.slice(-1)
  const parts = names.map((name, at) => {
    const text = name === '' ? 'Untitled' : cutText(name, MAX_HEADING)
    return html`${at > 0 && html` <span aria-hidden="true">›</span> `}<bdi ${renderLangAttribute(text, title)}
        >${escapeBidi(text)}</bdi
      >`
  })
  return html`<a href="/browse/${slug}${section !== null && formatFragment(section.id)}">${parts}</a>`
}

function renderSnippet(snippet: string, context: string): Html {
  return html`<p class="snippet" dir="auto" ${renderLangAttribute(snippet, context)}>
    ${escapeBidi(snippet)}
  </p>`
}

function renderNothing(query: BrowseQuery): Html {
  const isNarrowed = query.domain !== '' || query.difficulty !== ''
  const wider = formatBrowsePath({ ...query, domain: '', difficulty: '', page: 1 })
  return html`<div class="empty">
    <p>Nothing matches.</p>
    <p>
      Check the spelling, or try fewer or different
      words${query.search.includes('"') && ', without quotation marks'}.
      ${isNarrowed && html`Or <a href="${wider}">search all domains and difficulties</a>.`} You can also
      <a href="/browse">see all packs</a>.
    </p>
  </div>`
}
