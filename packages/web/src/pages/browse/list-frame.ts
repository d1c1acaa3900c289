import type { Catalog, PackOrder, DamagedVersion, PackSummary } from '@packs/catalog'
import {
  escapeBidi,
  renderLangAttribute,
  formatCount,
  formatNumber,
  formatPercent,
} from '../../html/display-text.ts'
import { html, type Html } from '@packs/codec/theme'
import {
  difficulties,
  formatBrowsePath,
  MAX_SEARCH,
  PAGE_SIZE,
  type BrowseQuery,
} from './parse-browse-query.ts'
import { renderTokenBar, renderAbout, type AboutLimits } from './pack-about.ts'

/** What surrounds a list of packs or of results. */
export interface ListFrame {
  readonly query: BrowseQuery
  readonly domains: Awaited<ReturnType<Catalog['packs']['domains']>>
  readonly total: number
  readonly shown: number
  readonly noun: 'pack' | 'result'
}

const orders: readonly (readonly [PackOrder | 'relevance', string])[] = [
  ['relevance', 'Best match'],
  ['title', 'Title'],
  ['newest', 'Newest change'],
  ['smallest', 'Fewest tokens'],
  ['saved', 'Most saved'],
]

export function renderFrame(frame: ListFrame, list: Html): Html {
  return html`<div class="lead">
      <h1>Browse</h1>
      <p class="quiet">
        <span role="status">${describeCount(frame)}.</span> Programs get packs
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
        Best match searches titles, headings and text, and can find a “phrase” in quotation marks. The other
        orders search only titles.
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

interface PackList extends Pick<ListFrame, 'query' | 'domains' | 'total'> {
  readonly packs: readonly PackSummary[]
  /** Packs that cannot be shown. */
  readonly damaged: readonly DamagedVersion[]
}

/** Keeps list pages small and their entries short. */
const ABOUT_LIMITS: AboutLimits = { characters: 200, tags: 6 }

export function renderList(list: PackList): Html {
  const { packs, damaged } = list
  const content = html`${packs.length + damaged.length === 0 ? renderEmpty(list) : renderRows(packs)}
  ${damaged.length > 0 && renderDamaged(damaged)}`
  return renderFrame({ ...list, shown: packs.length, noun: 'pack' }, content)
}

function renderRows(packs: readonly PackSummary[]): Html {
  return html`<ul class="packs">
    ${packs.map(
      (pack) =>
        html`<li>
          <h2>
            <a href="/browse/${pack.slug}"
              ><bdi ${renderLangAttribute(pack.title)}>${escapeBidi(pack.title)}</bdi></a
            >
          </h2>
          <p class="quiet meta">
            <span
              ><bdi ${renderLangAttribute(pack.domain, pack.title)}>${escapeBidi(pack.domain)}</bdi>
              <span aria-hidden="true">›</span>
              <bdi ${renderLangAttribute(pack.subdomain, pack.title)}
                >${escapeBidi(pack.subdomain)}</bdi
              ></span
            >
            <span class="chip">${pack.difficulty}</span>
          </p>
          ${renderAbout(pack, ABOUT_LIMITS)}
          <p class="figures">
            ${renderTokenBar(pack)}
            <span
              ><b>${formatNumber(pack.token_count + pack.rosetta_tokens)}</b> of
              ${formatNumber(pack.uncompressed_estimate)} tokens</span
            >
            <span class="${pack.net_savings_pct > 0 ? 'saving' : 'quiet'}"
              >${formatPercent(pack.net_savings_pct)} saved</span
            >
          </p>
        </li>`,
    )}
  </ul>`
}

function renderDamaged(damaged: readonly DamagedVersion[]): Html {
  return html`<p class="note">
    Not shown because they are damaged: ${damaged.map(({ slug }) => escapeBidi(slug)).join(', ')}. The
    operator can restore them.
  </p>`
}

function renderEmpty({ query, total }: PackList): Html {
  if (total > 0) return renderPastEnd(query)
  if (!isFiltered(query)) {
    return html`<div class="empty">
      <p>The catalog has no packs yet.</p>
      <p>To add some, run <code>pack publish FILES</code>.</p>
    </div>`
  }
  return html`<div class="empty">
    <p>No packs match.</p>
    <p>Try fewer or shorter words, or <a href="/browse">see all packs</a>.</p>
  </div>`
}
