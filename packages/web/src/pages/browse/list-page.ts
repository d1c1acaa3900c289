import type { Catalog, DamagedVersion, PackOrder, PackSummary } from '@packs/catalog'
import type { Difficulty } from '@packs/codec/pack'
import { listPhrases, MAX_PHRASES } from '@packs/search'
import { html, type Html } from '@packs/theme'
import { z } from 'zod'
import {
  escapeBidi,
  formatDay,
  formatNumber,
  renderLangAttribute,
  formatCount,
  cutText,
  renderMarked,
} from '../../html/display-text.ts'
import {
  barKey,
  describeSaving,
  measureCost,
  renderCostBar,
  statedField,
  renderAddLink,
} from '../../html/pack-figures.ts'
import { WebError } from '../../web-error.ts'

export const PAGE_SIZE = 20
/** Code points of a search by best match, as in the API, and of a search in titles. */
const MAX_SEARCH = 400
const MAX_TITLE_SEARCH = 200
/** Packs that paging can reach, as in the API. */
const MAX_REACHABLE = 10_000

export const difficulties: readonly Difficulty[] = ['beginner', 'intermediate', 'advanced', 'expert']

export interface BrowseQuery {
  readonly search: string
  readonly domain: string
  readonly difficulty: Difficulty | ''
  /** `relevance` searches headings and text too; the other orders search only titles. */
  readonly sort: PackOrder | 'relevance'
  readonly page: number
}

const schema = z.object({
  search: z
    .string()
    .trim()
    .refine((text) => Array.from(text).length <= MAX_SEARCH)
    .default(''),
  domain: z
    .string()
    .regex(/^(?:[a-z0-9]+(-[a-z0-9]+)*)?$/)
    .max(100)
    .default(''),
  difficulty: z.enum(['', ...difficulties]).default(''),
  sort: z
    .enum(['', 'relevance', 'title', 'newest', 'smallest', 'saved'])
    .default('')
    .transform((sort) => sort || 'relevance'),
  page: z
    .string()
    .regex(/^(?:[1-9]\d{0,4})?$/)
    .default('')
    .transform((text) => Number(text || 1))
    .refine((page) => page * PAGE_SIZE <= MAX_REACHABLE),
})

/** @throws WebError `invalid_query` */
export function parseBrowseQuery(fields: unknown): BrowseQuery {
  const parsed = schema.safeParse(fields)
  if (!parsed.success) throw queryError(String(parsed.error.issues[0]?.path[0]))
  const query = parsed.data
  if (!isRelevanceSearch(query) && Array.from(query.search).length > MAX_TITLE_SEARCH)
    throw queryError('search')
  if (listPhrases(query.search).length > MAX_PHRASES) {
    const message = `A search can have at most ${MAX_PHRASES} phrases in quotation marks`
    const hint = 'Keep the most important ones, and remove the quotation marks around the others.'
    throw new WebError('invalid_query', message, hint)
  }
  return query
}

/** Whether titles, headings and text are searched, best matches first. */
export function isRelevanceSearch({ search, sort }: BrowseQuery): boolean {
  return search !== '' && sort === 'relevance'
}

function queryError(field: string): WebError {
  const hint = `A search has at most ${MAX_SEARCH} characters, ${MAX_TITLE_SEARCH} if not by best match. Choose the rest in the list.`
  return new WebError('invalid_query', `The field “${field}” is invalid`, hint)
}

/** Formats the path of the list for a query, without default values. */
export function formatBrowsePath({ sort, page, ...filters }: BrowseQuery): string {
  const fields = Object.entries({
    ...filters,
    sort: sort === 'relevance' ? '' : sort,
    page: page > 1 ? String(page) : '',
  })
  const query = new URLSearchParams(fields.filter(([, value]) => value !== ''))
  return query.size === 0 ? '/browse' : `/browse?${query.toString()}`
}

/** Code points of a search in headings and titles. */
export const MAX_SHOWN = 60

/** What surrounds a list of packs or of results. */
export interface ListFrame {
  readonly query: BrowseQuery
  readonly domains: Awaited<ReturnType<Catalog['packs']['domains']>>
  readonly total: number
  readonly shown: number
  /** Packs on this page, if the matches in packs are counted. */
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
      <p class="${frame.total > 0 ? 'quiet' : 'unseen'}" role="status">${describeCount(frame)}</p>
    </div>
    <div class="list-tools">${frame.total > 0 && renderFilters(frame)} ${frame.key}</div>
    ${list} ${renderPaging(frame)}`
}

function renderHeading({ query, domains, total }: ListFrame): Html {
  const { search } = query
  const domain = findDomain(query, domains)
  const place = domain !== undefined && html` in <bdi>${escapeBidi(domain)}</bdi>`
  if (search !== '')
    return html`${total === 0 ? 'Nothing found for' : isRelevanceSearch(query) ? 'Results for' : 'Titles with'}
    “<bdi>${escapeBidi(cutText(search, MAX_SHOWN))}</bdi>”${place}`
  return html`${domain === undefined ? 'All packs' : html`<bdi>${escapeBidi(domain)}</bdi>`}`
}

/** Returns the name of the domain that a query chooses; its slug if no pack has it. */
export function findDomain({ domain }: BrowseQuery, domains: ListFrame['domains']): string | undefined {
  return domain === '' ? undefined : (domains.find((known) => known.domain_slug === domain)?.domain ?? domain)
}

/** Counts packs: of a search those on the page, because one may have matches on several pages. */
function describeCount({ query, total, shown, inPacks }: ListFrame): string {
  const found = formatCount(inPacks ?? total, 'pack')
  if (total <= PAGE_SIZE || shown === 0) return found
  if (inPacks !== undefined) return `${found} on this page`
  const first = (query.page - 1) * PAGE_SIZE + 1
  return `${found}, ${formatNumber(first)} to ${formatNumber(first + shown - 1)} shown`
}

export function renderPastEnd(query: BrowseQuery): Html {
  return html`<p>
    There is no page ${query.page}.
    <a href="${formatBrowsePath({ ...query, page: 1 })}">Go to the first page</a>.
  </p>`
}

/** A script applies filters on change. The words stay in the header, and the form keeps them. */
function renderFilters({ query, domains, total }: ListFrame): Html | false {
  const { search, domain, difficulty } = query
  const sort = query.sort === 'relevance' ? '' : query.sort
  const isOpen = `${domain}${difficulty}${sort}` !== ''
  if (total < 2 && !isOpen && search === '') return false
  const known = domains.map((row) => [row.domain_slug, `${escapeBidi(row.domain)} (${row.packs})`])
  const isKnown = domain === '' || known.some(([slug]) => slug === domain)
  const levels = new Set(domains.flatMap((row) => [row.first_difficulty, row.last_difficulty]))
  const shown = levels.size > 1 || difficulty !== '' ? difficulties : []
  const sorts = search === '' ? [['', 'Title'], ...orders.slice(1)] : [['', 'Best match'], ...orders]
  return html`<details class="filters" ${isOpen && 'open'}>
    <summary>Filter and sort</summary>
    <form action="/browse" method="get">
      ${search !== '' && html`<input type="hidden" name="search" value="${search}" />`}
      ${renderField('domain', 'Domain', domain, [['', 'All domains'], ...known, ...(isKnown ? [] : [[domain, domain]])])}
      ${renderField('difficulty', 'Difficulty', difficulty, [['', 'Any'], ...shown.map((name) => [name, name])])}
      ${renderField('sort', 'Sort by', sort, sorts)}
      <noscript
        ><p class="field"><button>Apply</button></p></noscript
      >
    </form>
  </details>`
}

/** Renders nothing if there is nothing to choose: all, or the one value that there is. */
function renderField(
  name: string,
  label: string,
  chosen: string,
  options: readonly (readonly string[])[],
): Html | false {
  if (options.length < 3 && chosen === '') return false
  return html`<p class="field">
    <label for="~${name}">${label}</label>
    <select id="~${name}" name="${name}">
      ${options.map(
        ([value, text]) => html`<option value="${value}" ${value === chosen && 'selected'}>${text}</option>`,
      )}
    </select>
  </p>`
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
  readonly others: readonly PackSummary[]
  readonly damaged: readonly DamagedVersion[]
}

/** Code points of the sentence about a pack. */
const MAX_ABOUT = 180

export function renderList(list: PackList): Html {
  const { packs, damaged } = list
  const content = html`${
    packs.length + damaged.length === 0 ? renderEmpty(list) : renderCards(packs, list.query)
  }
  ${
    damaged.length > 0 &&
    html`<p class="note">
      Not shown because they are damaged: ${damaged.map(({ slug }) => escapeBidi(slug)).join(', ')}. The
      operator can restore them.
    </p>`
  }`
  const isSaving = packs.some((pack) => measureCost(pack).saved > 0)
  const frame = { ...list, shown: packs.length, ...(isSaving && { key: barKey }) }
  return renderFrame(frame, content)
}

function renderCards(packs: readonly PackSummary[], query: BrowseQuery): Html {
  return html`<ul class="packs">
    ${packs.map((pack) => renderCard(pack, query))}
  </ul>`
}

/** Renders what readers choose by. Its title decides the direction of the card. */
function renderCard(pack: PackSummary, { search, sort }: BrowseQuery): Html {
  const { slug, title, published_at, description, lead } = pack
  const about = description ?? lead ?? ''
  const [domain, difficulty] = [statedField(pack, 'domain'), statedField(pack, 'difficulty')]
  const { source, paid, saved } = measureCost(pack)
  return html`<li>
    <div class="pack" dir="auto">
      <h2>
        <a href="/browse/${slug}"
          ><span ${renderLangAttribute(title)}>${renderMarked(title, search, 'preview')}</span></a
        >
      </h2>
      ${
        about !== '' &&
        html`<p class="about" ${renderLangAttribute(about, title)}>
          ${escapeBidi(cutText(about, MAX_ABOUT))}
        </p>`
      }
      <p class="quiet meta">
        ${domain !== undefined && html`<bdi ${renderLangAttribute(domain, title)}>${escapeBidi(domain)}</bdi>`}
        ${difficulty !== undefined && html`<span>${difficulty}</span>`}
        ${sort === 'newest' && html`<time datetime="${published_at}">${formatDay(published_at)}</time>`}
      </p>
    </div>
    <div class="cost">
      ${saved > 0 && renderCostBar(pack)}
      <p><b>${formatNumber(paid)}</b> tokens</p>
      <p class="${saved > 0.03 * source ? 'saving' : 'quiet'}">${describeSaving(pack).replace(/,.*/, '')}</p>
      ${renderAddLink(pack)}
    </div>
  </li>`
}

function renderEmpty({ query, total, others }: PackList): Html {
  if (total > 0) return renderPastEnd(query)
  if (others.length > 0) return renderNothing(query, others)
  return html`<p class="empty">
    The catalog has no packs yet. To add some, run <code>pack publish FILES</code>. To see what a text of
    yours would save, <a href="/try">try it</a>.
  </p>`
}

/** Renders how to go on where nothing was found. */
export function renderNothing(query: BrowseQuery, others: readonly PackSummary[]): Html {
  const { search, domain, difficulty, sort } = query
  const isNarrowed = `${domain}${difficulty}` !== '' || sort !== 'relevance'
  const wider = formatBrowsePath({ search, domain: '', difficulty: '', sort: 'relevance', page: 1 })
  return html`<p>
      ${search !== '' && html`Check the spelling, or try fewer or other words${search.includes('"') && ', without quotation marks'}.`}
      ${search !== '' && isNarrowed && html`Or <a href="${wider}">search headings and text of all packs</a>.`}
    </p>
    ${
      others.length > 0 &&
      html`<h2 class="others">Other packs in this catalog</h2>
        ${renderCards(others, query)}`
    }
    <p class="paging"><a href="/browse">Browse all packs</a></p>`
}
