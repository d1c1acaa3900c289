import {
  type DamagedVersion,
  type PackSummary,
  type ReadingScope,
  type Catalog,
  type PackOrder,
} from '@packs/catalog'
import { findQueryWords } from '@packs/search'
import { html, type Html } from '@packs/theme'
import {
  escapeBidi,
  formatDay,
  formatNumber,
  renderLangAttribute,
  formatCount,
  cutText,
} from '../../html/display-text.ts'
import { barKey, describeSaving, measureCost, renderCostBar, statedField } from '../../html/pack-figures.ts'
import { readInlineText } from '@packs/codec/internal'
import { difficulties, formatBrowsePath, isRelevanceSearch, PAGE_SIZE } from './parse-browse-query.ts'
import type { BrowseQuery } from './parse-browse-query.ts'

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

interface PackList extends Pick<ListFrame, 'query' | 'domains' | 'total'> {
  readonly packs: readonly PackSummary[]
  readonly damaged: readonly DamagedVersion[]
}

/** Code points of the sentence about a pack, and how many of its tags are shown. */
const MAX_ABOUT = 180
const MAX_TAGS = 4

export function renderList(list: PackList): Html {
  const { packs, damaged } = list
  const content = html`${
    packs.length + damaged.length === 0
      ? renderEmpty(list)
      : html`<ul class="packs">
          ${packs.map((pack) => renderCard(pack, list.query.search))}
        </ul>`
  }
  ${
    damaged.length > 0 &&
    html`<p class="note">
      Not shown because they are damaged: ${damaged.map(({ slug }) => escapeBidi(slug)).join(', ')}. The
      operator can restore them.
    </p>`
  }`
  const isSaving = packs.some((pack) => measureCost(pack).saved > 0)
  const frame = { ...list, shown: packs.length, noun: 'pack', ...(isSaving && { key: barKey }) } as const
  return renderFrame(frame, content)
}

function renderCard(pack: PackSummary, search: string): Html {
  const { slug, title, version, published_at, description, lead, tags = [] } = pack
  const about = description ?? lead ?? ''
  const shown = tags.slice(0, MAX_TAGS)
  const around = `${title} ${about}`
  const [domain, difficulty] = [statedField(pack, 'domain'), statedField(pack, 'difficulty')]
  const { paid, saved } = measureCost(pack)
  return html`<li>
    <div class="pack">
      <h2>
        <a href="/browse/${slug}"
          ><bdi ${renderLangAttribute(title)}>${renderMarked(title, search, 'preview')}</bdi></a
        >
      </h2>
      ${
        about !== '' &&
        html`<p class="about" dir="auto" ${renderLangAttribute(about, title)}>
          ${escapeBidi(cutText(about, MAX_ABOUT))}
        </p>`
      }
      <p class="quiet meta">
        <code class="slug">${slug}</code>
        <span>${version}</span>
        <time datetime="${published_at}">${formatDay(published_at)}</time>
        ${domain !== undefined && html`<bdi ${renderLangAttribute(domain, title)}>${escapeBidi(domain)}</bdi>`}
        ${difficulty !== undefined && html`<span>${difficulty}</span>`}
        ${shown.map((tag) => html`<bdi class="tag" ${renderLangAttribute(tag, around)}>${escapeBidi(cutText(tag, 30))}</bdi>`)}
        ${tags.length > shown.length && html`<span>and ${formatNumber(tags.length - shown.length)} more tags</span>`}
      </p>
    </div>
    <div class="cost">
      ${saved > 0 && renderCostBar(pack)}
      <p><b>${formatNumber(paid)}</b> tokens</p>
      <p class="${saved > 0 ? 'saving' : 'quiet'}">${describeSaving(pack)}</p>
      ${renderAddLink(slug, title)}
    </div>
  </li>`
}

/** @param title for screen readers */
export function renderAddLink(slug: string, title: string, label = 'Add to prompt'): Html {
  return html`<a class="add" href="/prompt?pack=${slug}" rel="nofollow"
    >${label}<span class="unseen">: ${escapeBidi(title)}</span></a
  >`
}

function renderEmpty({ query, total }: PackList): Html {
  if (total > 0) return renderPastEnd(query)
  const { search, domain, difficulty } = query
  if (search === '' && domain === '' && difficulty === '') {
    return html`<div class="empty">
      <p>The catalog has no packs yet.</p>
      <p>
        To add some, run <code>pack publish FILES</code>. To see what a text of yours would save,
        <a href="/try">try it</a>.
      </p>
    </div>`
  }
  return html`<div class="empty">
    <p>No packs match.</p>
    <p>Try fewer or shorter words, or <a href="/browse">see all packs</a>.</p>
  </div>`
}

/** A longer snippet was cut, if it ends within a sentence. */
const MAX_WHOLE = 150
/** Rules between blocks, lines of fences, and the line below the head of a table. */
const NO_TEXT = /^(?:```.*|~~~.*|[-:| \t]{2,}|[*_= \t]{3,})$/

/**
 * Returns a snippet as text without markdown: headings, lists, tables, links, emphasis, code marks
 * and HTML. A snippet may begin and end within markup.
 * @example
 * readSnippet('## Keys\n\nSee **[the `SET` command](set.md)**.') // 'Keys See the SET command.'
 */
export function readSnippet(markdown: string): string {
  const lines = dropComments(markdown).split('\n').map(readLine)
  const text = closeLink(
    lines
      .join(' ')
      .replace(/<(https?:[^<>\s]*)>/g, '$1')
      .replace(/\{#[\w-]+\}/g, ''),
  )
  const plain = trimMarks(readInlineText(text).replace(/`/g, ''))
  const before = /^\s*[\p{Ll},;)]/u.test(markdown) ? '…' : ''
  return `${before}${plain}${/[\p{L}\p{N},;]$/u.test(plain) && markdown.length > MAX_WHOLE ? '…' : ''}`
}

function dropComments(text: string): string {
  const [first = '', ...rest] = text.split('<!--')
  const shown = rest.map((part) => (part.includes('-->') ? part.slice(part.indexOf('-->') + 3) : ''))
  return first + shown.join('')
}

/** Removes the marks of a line: quotes, headings, lists and cells. */
function readLine(line: string): string {
  const content = line.trim().replace(/^[> \t]+/, '')
  if (NO_TEXT.test(content)) return ''
  const text = content
    .replace(/^#{1,6}[ \t]+/, '')
    .replace(/^(?:[-*+]|\d{1,9}[.)])[ \t]+/, '')
    .replace(/^\[(?:[ xX]|!\w{1,20})\][ \t]*/, '')
  const cells = text.split(/(?<!\\)\|/).map((cell) => cell.trim())
  return cells.length === 1 ? text : cells.filter((cell) => cell !== '').join(' · ')
}

/** Keeps only the words of a link whose target is cut off. */
function closeLink(text: string): string {
  const target = text.lastIndexOf('](')
  const words = text.lastIndexOf('[', target)
  if (target < 0 || words < 0 || text.includes(')', target)) return text
  return text.slice(0, words) + text.slice(words + 1, target)
}

function trimMarks(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && ' ·'.includes(text[start]!)) start++
  while (end > start && ' ·'.includes(text[end - 1]!)) end--
  return text.slice(start, end)
}

/** Renders text with the words of a query marked. */
export function renderMarked(text: string, query: string, scope: ReadingScope): Html {
  const parts: Html[] = []
  let at = 0
  for (const { start, end } of findQueryWords(text, query, scope)) {
    parts.push(html`${escapeBidi(text.slice(at, start))}<mark>${escapeBidi(text.slice(start, end))}</mark>`)
    at = end
  }
  return html`${parts}${escapeBidi(text.slice(at))}`
}
