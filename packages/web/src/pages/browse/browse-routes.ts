import { CatalogError, clientNetwork, nameDamaged, peekCharge } from '@packs/catalog'
import type {
  DamagedVersion,
  IndexContext,
  PackSearch,
  PackSearchPage,
  RateLimiter,
  ReadingScope,
  SectionReader,
  SectionReads,
} from '@packs/catalog'
import type { Html } from '@packs/theme'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { cutText } from '../../html/display-text.ts'
import type { WebPorts } from '../../ports.ts'
import { tooManyPagesError } from '../../web-error.ts'
import { decideAccess } from '../pack/open-pack.ts'
import type { Page, SiteFacts, Viewer } from '../page.ts'
import { addPage, readQuery, type PageSender } from '../serve-page.ts'
import {
  findDomain,
  formatBrowsePath,
  isRelevanceSearch,
  type BrowseQuery,
  type ListFrame,
  MAX_SHOWN,
  PAGE_SIZE,
  parseBrowseQuery,
  renderList,
} from './list-page.ts'
import { groupByPack, type PackHits, renderSearch, type SearchView, type SectionHit } from './search-page.ts'

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
  const about = domain === undefined ? '' : ` about ${domain}`
  const description = `Knowledge packs${about} for language models, with what each costs and what it saves.`
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
  const [found, answer] = await Promise.all([
    search.search(wanted, access.scope, owner),
    answerQuestion(search, query, access.scope, owner),
  ])
  logDamaged(ports.log, request, found.damaged)
  const reads = sections.for(owner)
  const groups = groupByPack(found, access.scope === 'full' ? undefined : await listSeen(found, reads))
  const copies = await countCopies(groups, reads, access.scope)
  const others = found.total > 0 ? [] : (await ports.catalog.packs.list(OTHERS)).packs
  const { contact } = site
  return renderSearch({ query, domains, found, groups, copies, answer, access, now, others, contact })
}

/** Counts sections as their buttons copy them; none that is cut, long or damaged. */
async function countCopies(
  groups: readonly PackHits[],
  sections: SectionReads,
  scope: ReadingScope,
): Promise<SearchView['copies']> {
  const copies = new Map<SectionHit, number>()
  const count = async (hit: SectionHit, sequence: number): Promise<void> => {
    const found = hit.section && (await sections.find(sequence, hit.section.id))
    const part = found?.section
    if (!part || part.end > part.start + MAX_COUNTED || (scope !== 'full' && part.end > found.preview)) return
    copies.set(hit, (await sections.slice(sequence, part, scope, 'inline')).token_count)
  }
  const shown = groups.flatMap((group) => group.shown.map((hit) => ({ hit, pack: group.pack })))
  await Promise.allSettled(shown.map(({ hit, pack }) => count(hit, pack.sequence)))
  return copies
}

/** Words of a question at least, and tokens of its answer, as in the API by default. */
const MIN_WORDS = 3
const BUDGET = 2000
const segmenter = new Intl.Segmenter('en', { granularity: 'word' })

/** Returns the passages that answer a question; none if searches take long, as hits are enough. */
async function answerQuestion(
  search: PackSearch,
  { search: text, domain, difficulty, page }: BrowseQuery,
  scope: ReadingScope,
  owner: string,
): Promise<IndexContext | undefined> {
  const words = [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike)
  // Passages are of all difficulties.
  if (words.length < MIN_WORDS || difficulty !== '' || page > 1) return undefined
  const options = { budget: BUDGET, tokenizer: 'o200k_base', scope, links: 'inline' } as const
  return search.context({ ...options, text, domain: domain || undefined }, owner).catch((error) => {
    if (error instanceof CatalogError && error.code === 'search_busy') return undefined
    throw error
  })
}

/** Sections of a pack that are looked through, and UTF-16 units of one that is counted. */
const MAX_SECTIONS = 5000
const MAX_COUNTED = 100_000

/** Lists the sections in the previews of found packs. A pack that cannot be read has none. */
async function listSeen({ hits }: PackSearchPage, sections: SectionReads): Promise<ReadonlySet<string>> {
  const packs = new Map(hits.map(({ pack }) => [pack.id, pack.sequence]))
  const seen = [...packs].map(async ([id, sequence]) => {
    const page = await sections.page(sequence, 0, MAX_SECTIONS).catch(() => undefined)
    const shown = page?.sections.filter(({ start }) => start < page.preview) ?? []
    return shown.map((section) => `${id}/${section.id}`)
  })
  return new Set((await Promise.all(seen)).flat())
}

/** Packs to offer where nothing was found. */
const OTHERS = { order: 'saved', limit: 3, offset: 0 } as const

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
  const others = found.total > 0 ? [] : (await packs.list(OTHERS)).packs
  return renderList({ query, domains, others, ...found })
}

/** A list still shows the other packs; results omit the text of damaged ones. */
function logDamaged(log: WebPorts['log'], request: FastifyRequest, damaged: readonly DamagedVersion[]): void {
  if (damaged.length === 0) return
  const fields = { request_id: request.id, route: request.routeOptions.url, code: 'damaged_pack' }
  log.error({ ...fields, damaged: damaged.map(nameDamaged) }, 'a list omits damaged packs')
}
