import { clientNetwork, nameDamaged, peekCharge } from '@packs/catalog'
import type {
  DamagedVersion,
  PackSearch,
  PackSearchPage,
  RateLimiter,
  SectionReader,
  SectionReads,
} from '@packs/catalog'
import { type Html, html } from '@packs/theme'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  formatCount,
  escapeBidi,
  renderLangAttribute,
  formatSectionPath,
  formatNumber,
  cutText,
} from '../../html/display-text.ts'
import type { WebPorts } from '../../ports.ts'
import { tooManyPagesError } from '../../web-error.ts'
import { decideAccess, describeExceededQuota, type Access } from '../pack/open-pack.ts'
import { type Page, type SiteFacts, type Viewer, renderProHint } from '../page.ts'
import { addPage, readQuery, type PageSender } from '../serve-page.ts'
import {
  findDomain,
  MAX_SHOWN,
  type ListFrame,
  renderList,
  renderFrame,
  renderPastEnd,
  renderAddLink,
  readSnippet,
  renderMarked,
} from './list-page.ts'
import { formatBrowsePath, isRelevanceSearch, PAGE_SIZE, parseBrowseQuery } from './parse-browse-query.ts'
import type { BrowseQuery } from './parse-browse-query.ts'
import { describeSaving, measureCost, statedField } from '../../html/pack-figures.ts'

interface BrowseDependencies {
  readonly ports: WebPorts
  readonly site: SiteFacts
  readonly search: PackSearch
  /** Says which sections lie wholly in a preview. */
  readonly sections: SectionReader
  readonly freeSearches: RateLimiter
  readonly pages: PageSender
}

export function addBrowseRoutes(app: FastifyInstance, dependencies: BrowseDependencies): void {
  const { pages, ports } = dependencies
  addPage(app, '/browse', async (request, reply) => {
    const query = parseBrowseQuery(readQuery(request.url))
    const viewer = await pages.findViewer(reply)
    const domains = await ports.catalog.packs.domains()
    const isSearch = isRelevanceSearch(query)
    const main = isSearch
      ? await searchPacks(dependencies, { query, domains }, viewer, request)
      : await listPacks(dependencies, { query, domains }, request)
    const isListed = query.search === '' && query.difficulty === '' && query.sort === 'relevance'
    return pages.send(reply, {
      ...describeList({ query, domains }),
      viewer,
      main,
      section: 'browse',
      search: query.search,
      ...(isListed ? { canonical: formatBrowsePath(query) } : { isUnlisted: true }),
      ...(isSearch && { connects: true }),
    })
  })
}

type ListQuery = Pick<ListFrame, 'query' | 'domains'>

/** Returns a title that no other list has, and a description for search engines. */
function describeList({ query, domains }: ListQuery): Pick<Page, 'title' | 'description'> {
  const { search, page } = query
  const domain = findDomain(query, domains)
  const names = [
    search === '' ? (domain ?? 'All packs') : `${cutText(search, MAX_SHOWN)} - search`,
    ...(search !== '' && domain !== undefined ? [domain] : []),
    ...(page > 1 ? [`page ${page}`] : []),
  ]
  const packs = domains.reduce((sum, known) => sum + known.packs, 0)
  const description =
    domain === undefined
      ? `${formatCount(packs, 'knowledge pack')} for language models, with what each costs and what it saves.`
      : `Knowledge packs about ${domain} for language models, with what each costs and what it saves.`
  return { title: names.join(', '), description }
}

async function searchPacks(
  { ports, site, search, sections, freeSearches }: BrowseDependencies,
  { query, domains }: ListQuery,
  viewer: Viewer,
  request: FastifyRequest,
): Promise<Html> {
  const now = ports.now()
  const access = await decideAccess(viewer, request, (account, way) =>
    way === 'peek' ? peekCharge(ports.quota, account, now) : ports.quota.take(account, now),
  )
  const owner = viewer.account?.id ?? clientNetwork(request.ip)
  const wait = access.reason === 'pro' ? 0 : freeSearches.take(owner, now)
  if (wait > 0) throw tooManyPagesError('You searched too often within a minute', wait)
  const { domain, difficulty, page } = query
  const filters = { domain: domain || undefined, difficulty: difficulty || undefined }
  const wanted = { text: query.search, ...filters, limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE }
  const found = await search.search(wanted, access.scope, owner)
  logDamaged(ports.log, request, found.damaged)
  const open = access.scope === 'full' ? new Set<string>() : await listOpen(found, sections.for(owner))
  return renderSearch({ query, domains, found, access, now, open, contact: site.contact })
}

/** Sections of a pack that are looked through. */
const MAX_SECTIONS = 5000

/** Lists the sections that lie wholly in the preview. A pack that cannot be read has none. */
async function listOpen({ hits }: PackSearchPage, sections: SectionReads): Promise<ReadonlySet<string>> {
  const packs = new Map(
    hits
      .filter(({ section, snippet }) => section !== null && snippet !== null)
      .map(({ pack }) => [pack.id, pack]),
  )
  const ids = await Promise.all(
    [...packs.values()].map(async ({ id, sequence }) => {
      const page = await sections.page(sequence, 0, MAX_SECTIONS).catch(() => undefined)
      return page?.sections.slice(0, page.open).map((section) => `${id}/${section.id}`) ?? []
    }),
  )
  return new Set(ids.flat())
}

async function listPacks(
  { ports }: BrowseDependencies,
  { query, domains }: ListQuery,
  request: FastifyRequest,
): Promise<Html> {
  const { packs } = ports.catalog
  const { search, domain, difficulty, sort, page } = query
  const found = await packs.list({
    search: search || undefined,
    domain: domain || undefined,
    difficulty: difficulty || undefined,
    order: sort === 'relevance' ? 'title' : sort,
    limit: PAGE_SIZE,
    offset: (page - 1) * PAGE_SIZE,
  })
  logDamaged(ports.log, request, found.damaged)
  return renderList({ query, domains, ...found })
}

/** A list still shows the other packs; results omit the text of damaged ones. */
function logDamaged(log: WebPorts['log'], request: FastifyRequest, damaged: readonly DamagedVersion[]): void {
  if (damaged.length === 0) return
  const fields = { request_id: request.id, route: request.routeOptions.url, code: 'damaged_pack' }
  log.error({ ...fields, damaged: damaged.map(nameDamaged) }, 'a list omits damaged packs')
}

interface SearchView extends Pick<ListFrame, 'query' | 'domains'> {
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
function renderSearch(view: SearchView): Html {
  const { found, query } = view
  const { hits, total } = found
  const groups = groupByPack(hits)
  const { corrected } = found
  const note =
    corrected !== null && html`<p>Showing results for <b dir="auto">${escapeBidi(corrected)}</b>.</p>`
  const list = html`${note} ${renderCost(view)} ${renderBeyond(groups, view)}
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
  const { paid, saved } = measureCost(pack)
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
      <span>${formatCount(paid, 'token')}</span>
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
  const pack = `/browse/${slug}`
  return html`<a href="${section === null ? pack : formatSectionPath(pack, section.id)}">${parts}</a>`
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
