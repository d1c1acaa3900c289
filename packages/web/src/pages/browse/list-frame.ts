import type { PackOrder } from '@packs/catalog'
import { escapeBidi } from '../../html/display-text.ts'
import { formatCount, formatNumber } from '../../html/format-values.ts'
import { html, type Html } from '@packs/codec/theme'
import {
  difficulties,
  formatBrowsePath,
  MAX_SEARCH,
  PAGE_SIZE,
  type BrowseQuery,
} from './parse-browse-query.ts'

/** What a list of packs and a list of results have around them. */
export interface ListFrame {
  readonly query: BrowseQuery
  readonly domains: readonly {
    readonly domain: string
    readonly domain_slug: string
    readonly packs: number
  }[]
  /** Entries on all pages. */
  readonly total: number
  /** Entries on this page. */
  readonly shown: number
  /** What an entry is called. */
  readonly noun: 'pack' | 'result'
}

const orders: readonly (readonly [PackOrder | 'relevance', string])[] = [
  ['relevance', 'Best match'],
  ['title', 'Title'],
  ['newest', 'Newest change'],
  ['smallest', 'Fewest tokens'],
  ['saved', 'Most saved'],
]

/** Renders the count, filters and paging around a list. */
export function renderFrame(frame: ListFrame, list: Html): Html {
  return html`<div class="lead">
      <h1>Browse</h1>
      <p class="quiet">
        <span role="status">${describeCount(frame)}.</span> Programs get them
        <a href="/docs">through the API</a>.
      </p>
    </div>
    ${renderFilters(frame)} ${list} ${renderPaging(frame)}`
}

function describeCount({ query, total, shown, noun }: ListFrame): string {
  const found = formatCount(total, noun)
  const first = (query.page - 1) * PAGE_SIZE + 1
  const range =
    total > PAGE_SIZE && shown > 0
      ? `, ${formatNumber(first)} to ${formatNumber(first + shown - 1)} shown`
      : ''
  return `${found}${isFiltered(query) && noun === 'pack' ? ' found' : ''}${range}`
}

/** Whether a query leaves out packs. */
export function isFiltered({ search, domain, difficulty }: BrowseQuery): boolean {
  return search !== '' || domain !== '' || difficulty !== ''
}

/** Renders what is shown for a page after the last one. */
export function renderPastEnd(query: BrowseQuery): Html {
  return html`<div class="empty">
    <p>The list ends before page ${query.page}.</p>
    <p><a href="${formatBrowsePath({ ...query, page: 1 })}">Go to the first page</a></p>
  </div>`
}

function renderFilters({ query, domains }: ListFrame): Html {
  const option = (value: string, name: string, chosen: string): Html =>
    html`<option value="${value}" ${value === chosen && 'selected'}>${name}</option>`
  const isUnknown = query.domain !== '' && !domains.some(({ domain_slug }) => domain_slug === query.domain)
  return html`<search>
    <form class="filters" action="/browse" method="get">
      <p class="field wide">
        <label for="search">Search</label>
        <input
          id="search"
          name="search"
          type="search"
          maxlength="${MAX_SEARCH}"
          value="${query.search}"
          autocomplete="off"
          aria-describedby="search-rule"
        />
      </p>
      <p class="field">
        <label for="domain">Domain</label>
        <select id="domain" name="domain">
          ${option('', 'All domains', query.domain)}
          ${isUnknown && option(query.domain, query.domain, query.domain)}
          ${domains.map(({ domain, domain_slug, packs }) => option(domain_slug, `${escapeBidi(domain)} (${packs})`, query.domain))}
        </select>
      </p>
      <p class="field">
        <label for="difficulty">Difficulty</label>
        <select id="difficulty" name="difficulty">
          ${option('', 'Any', query.difficulty)}
          ${difficulties.map((name) => option(name, name, query.difficulty))}
        </select>
      </p>
      <p class="field">
        <label for="sort">Sort by</label>
        <select id="sort" name="sort">
          ${orders.map(([value, name]) => option(value, name, query.sort))}
        </select>
      </p>
      <p class="actions"><button>Search</button></p>
      <p class="quiet rule" id="search-rule">
        Best match looks in titles, headings and text, also for a “phrase” in quotation marks. The other
        orders look for words in titles.
      </p>
    </form>
  </search>`
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
