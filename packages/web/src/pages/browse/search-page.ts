import type { PackSearchPage } from '@packs/catalog'
import { html, type Html } from '@packs/theme'
import {
  escapeBidi,
  renderLangAttribute,
  formatCount,
  formatFragment,
  formatNumber,
} from '../../html/display-text.ts'
import { describeSaving, measureCost, statedField } from '../../html/pack-figures.ts'
import { describeExceededQuota, type Access } from '../pack/open-pack.ts'
import { cutText } from '../pack/pack-about.ts'
import { renderProHint } from '../page.ts'
import {
  renderFrame,
  renderPastEnd,
  type ListFrame,
  renderAddLink,
  readSnippet,
  renderMarked,
} from './list-page.ts'
import { formatBrowsePath, type BrowseQuery } from './parse-browse-query.ts'

export interface SearchView extends Pick<ListFrame, 'query' | 'domains'> {
  readonly found: PackSearchPage
  /** How much of a pack the visitor may see, and what the search cost. */
  readonly access: Access
  readonly now: Date
  /** Sections that lie wholly in the preview, as `pack/section`. */
  readonly open: ReadonlySet<string>
  readonly contact: string | undefined
}

type SearchHit = PackSearchPage['hits'][number]
type SectionHit = SearchHit['also'][number]
type FoundPack = SearchHit['pack']

/** Hits of one pack: those whose text the visitor sees, the others, and further sections. */
interface PackHits {
  readonly pack: FoundPack
  readonly shown: readonly SectionHit[]
  readonly beyond: readonly SectionHit[]
  readonly also: readonly SectionHit[]
}

const MAX_HEADING = 80
const MAX_ALSO = 5
/** Headings of sections beyond the preview. */
const MAX_BEYOND = 3

/** Renders packs in the order of their best hit, those with a text that the visitor sees first. */
export function renderSearch(view: SearchView): Html {
  const { found, query } = view
  const { hits, total } = found
  const groups = groupByPack(hits)
  const list = html`${renderNotes(found)} ${renderCost(view)} ${renderBeyond(groups, view)}
  ${
    hits.length > 0
      ? html`<ul class="packs results">
          ${groups.map((group) => renderPackHits(group, view))}
        </ul>`
      : total > 0
        ? renderPastEnd(query)
        : renderNothing(query)
  }`
  return renderFrame({ ...view, total, shown: hits.length, noun: 'match', inPacks: groups.length }, list)
}

function renderNotes({ corrected }: PackSearchPage): Html | false {
  return corrected !== null && html`<p>Showing results for <b dir="auto">${escapeBidi(corrected)}</b>.</p>`
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

function groupByPack(hits: readonly SearchHit[]): readonly PackHits[] {
  const groups = [...Map.groupBy(hits, ({ pack }) => pack.id).values()].map((own): PackHits => {
    const also = own.flatMap((hit) => hit.also)
    const isSeen = ({ section, snippet }: SectionHit): boolean => section === null || snippet !== null
    const seen = [...own, ...also].filter(isSeen)
    return {
      pack: own[0]!.pack,
      shown: seen.slice(0, own.length),
      also: seen.slice(own.length),
      beyond: [...own, ...also].filter((hit) => !isSeen(hit)),
    }
  })
  const rank = ({ shown }: PackHits): number => (shown.length > 0 ? 0 : 1)
  return groups.toSorted((a, b) => rank(a) - rank(b))
}

function renderPackHits({ pack, shown, beyond, also }: PackHits, view: SearchView): Html {
  const { title, slug, domain_slug, version } = pack
  const domain = statedField(view.domains.find((known) => known.domain_slug === domain_slug) ?? {}, 'domain')
  const { prompt, saved } = measureCost(pack)
  const whole = shown.find(({ section }) => section === null)
  const sections = shown.filter(({ section }) => section !== null)
  return html`<li>
    <div class="result-head">
      <h2>
        <a href="/browse/${slug}"><bdi ${renderLangAttribute(title)}>${renderWords(title, view)}</bdi></a>
      </h2>
      ${renderAddLink(slug, title, 'Add pack')}
    </div>
    <p class="quiet meta">
      <code class="slug">${slug}</code>
      <span>${version}</span>
      ${domain !== undefined && html`<bdi ${renderLangAttribute(domain, title)}>${escapeBidi(domain)}</bdi>`}
      <span>${formatCount(prompt, 'token')} in a prompt</span>
      <span ${saved > 0 && html`class="saving"`}>${describeSaving(pack)}</span>
    </p>
    ${sections.length === 0 && whole !== undefined && whole.snippet !== null && renderSnippet(whole.snippet, title, view)}
    ${
      sections.length > 0 &&
      html`<ul class="hits">
        ${sections.map((hit) => renderHit(hit, pack, view))}
      </ul>`
    }
    ${also.length > 0 && html`<p class="quiet also">Also: ${renderLinks(also.slice(0, MAX_ALSO), pack)}</p>`}
    ${
      beyond.length > 0 &&
      html`<p class="quiet also">
        ${formatCount(beyond.length, sections.length > 0 ? 'more section' : 'section')}
        ${beyond.length === 1 ? 'matches' : 'match'} beyond the preview:
        ${renderLinks(beyond.slice(0, MAX_BEYOND), pack)}${beyond.length > MAX_BEYOND && ' …'}
      </p>`
    }
  </li>`
}

function renderHit(hit: SectionHit, pack: FoundPack, view: SearchView): Html {
  const { slug, version, title } = pack
  const { section, snippet } = hit
  const id = encodeURIComponent(section?.id ?? '')
  const tokens = formatCount(section?.tokens ?? 0, 'token')
  const isOpen = view.access.scope === 'full' || view.open.has(`${pack.id}/${section?.id}`)
  return html`<li>
    <p class="path">${renderSectionLink(hit, pack, 'path')}</p>
    ${snippet !== null && renderSnippet(snippet, title, view)}
    <p class="quiet hit-actions">
      ${
        isOpen
          ? html`<button
                type="button"
                class="copy"
                hidden
                data-copy-url="/browse/${slug}/${version}/section?id=${id}"
              >
                Copy ${tokens}</button
              ><noscript>${tokens}</noscript>`
          : html`<span>${tokens}, partly beyond the preview</span>`
      }
    </p>
  </li>`
}

function renderLinks(hits: readonly SectionHit[], pack: FoundPack): readonly Html[] {
  return hits.map((hit, at) => html`${at > 0 && '\u00A0· '}${renderSectionLink(hit, pack, 'title')}`)
}

/** The card has the title of the pack, so a path does not begin with it. */
function renderSectionLink(
  { section }: SectionHit,
  { slug, title }: FoundPack,
  show: 'path' | 'title',
): Html {
  const path = section?.path ?? []
  const below = path[0] === title ? path.slice(1) : path
  const names = below.length === 0 ? ['Introduction'] : show === 'path' ? below : path.slice(-1)
  const parts = names.map((name, at) => {
    const text = name === '' ? 'Untitled' : cutText(name, MAX_HEADING)
    return html`${at > 0 && html` <span aria-hidden="true">›</span> `}<bdi ${renderLangAttribute(text, title)}
        >${escapeBidi(text)}</bdi
      >`
  })
  return html`<a href="/browse/${slug}${section !== null && formatFragment(section.id)}">${parts}</a>`
}

function renderSnippet(snippet: string, context: string, view: SearchView): Html | false {
  const text = readSnippet(snippet)
  return (
    text !== '' &&
    html`<p class="snippet" dir="auto" ${renderLangAttribute(text, context)}>${renderWords(text, view)}</p>`
  )
}

function renderWords(text: string, { query, found, access }: SearchView): Html {
  return renderMarked(text, found.corrected ?? query.search, access.scope)
}

/** Says once how to read what matches beyond the preview. */
function renderBeyond(groups: readonly PackHits[], { access, contact }: SearchView): Html | false {
  const count = groups.reduce((sum, { beyond }) => sum + beyond.length, 0)
  if (count === 0 || access.reason === 'quota-exceeded') return false
  return html`<p class="quiet beyond">
    You see the preview of each pack. ${formatCount(count, 'section')} on this page
    ${count === 1 ? 'matches' : 'match'} beyond it; Pro accounts read whole packs. ${renderProHint(contact)}
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
