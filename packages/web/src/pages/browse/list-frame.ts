import type { Catalog, PackOrder } from '@packs/catalog'
import { html, type Html } from '@packs/theme'
import { escapeBidi, formatCount, formatNumber } from '../../html/display-text.ts'
import { cutText } from '../pack/pack-about.ts'
import {
  difficulties,
  formatBrowsePath,
  isRelevanceSearch,
  PAGE_SIZE,
  type BrowseQuery,
} from './parse-browse-query.ts'

/** Code points of a search in headings and titles. */
export const MAX_SHOWN = 60

/** What surrounds a list of packs or of results. */
export interface ListFrame {
  readonly query: BrowseQuery
  readonly domains: Awaited<ReturnType<Catalog['packs']['domains']>>
  readonly total: number
  readonly shown: number
  readonly noun: 'pack' | 'match'
  /** Packs on this page, if matches are counted. */
  readonly inPacks?: number
  /** What explains the list, below its heading. */
  readonly key?: Html
}

const orders: readonly (readonly [PackOrder, string])[] = [
  ['title', 'Title'],
  ['newest', 'Newest change'],
  ['smallest', 'Fewest tokens'],
  ['saved', 'Most saved'],
]

export function renderFrame(frame: ListFrame, list: Html): Html {
  return html`<div class="list-head">
      <h1>${renderHeading(frame)}</h1>
      <p class="quiet" role="status">${describeCount(frame)}</p>
    </div>
    ${renderFilters(frame)} ${frame.key} ${list} ${renderPaging(frame)}`
}

function renderHeading({ query, domains }: ListFrame): Html {
  const { search } = query
  const domain = findDomain(query, domains)
  const place = domain !== undefined && html` in <bdi>${escapeBidi(domain)}</bdi>`
  if (search !== '')
    return html`${isRelevanceSearch(query) ? 'Results for' : 'Titles with'}
    “<bdi>${escapeBidi(cutText(search, MAX_SHOWN))}</bdi>”${place}`
  return html`${domain === undefined ? 'All packs' : html`<bdi>${escapeBidi(domain)}</bdi>`}`
}

/** Returns the name of the domain that a query chooses; its slug if no pack has it. */
export function findDomain({ domain }: BrowseQuery, domains: ListFrame['domains']): string | undefined {
  return domain === '' ? undefined : (domains.find((known) => known.domain_slug === domain)?.domain ?? domain)
}

function describeCount({ query, total, shown, noun, inPacks = 0 }: ListFrame): string {
  const found = noun === 'match' && total !== 1 ? `${formatNumber(total)} matches` : formatCount(total, noun)
  const within = inPacks > 0 ? `${formatCount(inPacks, 'pack')} with ` : ''
  if (total <= PAGE_SIZE || shown === 0) return within + found
  const first = (query.page - 1) * PAGE_SIZE + 1
  const range = `${formatNumber(first)} to ${formatNumber(first + shown - 1)}`
  return inPacks > 0 ? `${within}matches ${range} of ${formatNumber(total)}` : `${found}, ${range} shown`
}

export function isFiltered({ search, domain, difficulty }: BrowseQuery): boolean {
  return search !== '' || domain !== '' || difficulty !== ''
}

/** Renders a page beyond the last one. */
export function renderPastEnd(query: BrowseQuery): Html {
  return html`<div class="empty">
    <p>There is no page ${query.page}.</p>
    <p><a href="${formatBrowsePath({ ...query, page: 1 })}">Go to the first page</a></p>
  </div>`
}

/** The words stay in the header. The form keeps them while it changes the rest. */
function renderFilters({ query, domains }: ListFrame): Html {
  const { search, domain, difficulty, sort } = query
  const option = (value: string, name: string, chosen: string): Html =>
    html`<option value="${value}" ${value === chosen && 'selected'}>${name}</option>`
  const isUnknown = domain !== '' && !domains.some(({ domain_slug }) => domain_slug === domain)
  const isByTitle = search !== '' && sort !== 'relevance'
  const isOpen = domain !== '' || difficulty !== '' || sort !== 'relevance'
  return html`<details class="filters" ${isOpen && 'open'}>
    <summary>Filter and sort</summary>
    <form action="/browse" method="get">
      ${search !== '' && html`<input type="hidden" name="search" value="${search}" />`}
      <p class="field">
        <label for="~domain">Domain</label>
        <select id="~domain" name="domain">
          ${option('', 'All domains', domain)} ${isUnknown && option(domain, domain, domain)}
          ${domains.map(({ domain: name, domain_slug, packs }) => option(domain_slug, `${escapeBidi(name)} (${packs})`, domain))}
        </select>
      </p>
      <p class="field">
        <label for="~difficulty">Difficulty</label>
        <select id="~difficulty" name="difficulty">
          ${option('', 'Any', difficulty)} ${difficulties.map((name) => option(name, name, difficulty))}
        </select>
      </p>
      <p class="field">
        <label for="~sort">Sort by</label>
        <select id="~sort" name="sort" ${isByTitle && html`aria-describedby="~sort-rule"`}>
          ${search !== '' && option('', 'Best match', sort === 'relevance' ? '' : sort)}
          ${orders.map(([value, name]) =>
            option(search === '' && value === 'title' ? '' : value, name, sort === 'relevance' ? '' : sort),
          )}
        </select>
      </p>
      <p class="field"><button>Apply</button></p>
      ${
        isByTitle &&
        html`<p class="quiet rule" id="~sort-rule">
          This order searches only titles; “Best match” searches headings and text too.
        </p>`
      }
    </form>
  </details>`
}

function renderPaging({ query, total }: ListFrame): Html | false {
  const last = Math.min(500, Math.ceil(total / PAGE_SIZE))
  if (last < 2) return false
  const link = (page: number, name: string, rel: string): Html =>
    page >= 1 && page <= last
      ? html`<li>
          <a class="button" rel="${rel}" href="${formatBrowsePath({ ...query, page })}">${name}</a>
        </li>`
      : html``
  return html`<nav aria-label="Pages">
    <ul class="paging">
      ${link(query.page - 1, 'Previous', 'prev')}
      <li class="quiet">Page ${formatNumber(query.page)} of ${formatNumber(last)}</li>
      ${link(query.page + 1, 'Next', 'next')}
    </ul>
  </nav>`
}
