import { finished } from 'node:stream'
import {
  clientNetwork,
  computeRetryAfter,
  type Account,
  type ByteBudget,
  type DamagedVersion,
  type PackSearch,
  type RateLimiter,
  type VersionRecord,
} from '@packs/catalog'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { namePart, type DocumentReader, type PartRequest } from '../../documents/create-document-reader.ts'
import type { Html } from '@packs/codec/theme'
import type { Renderer } from '../../markdown/create-renderer.ts'
import type { WebPorts } from '../../ports.ts'
import { formatSignInPath } from '../../security/cross-site-protection.ts'
import { WebError } from '../../web-error.ts'
import type { Viewer } from '../page.ts'
import {
  MARKDOWN_TYPE,
  prefersMarkdown,
  addPage,
  createTag,
  isKnownTag,
  readQuery,
  type PageSender,
} from '../serve-page.ts'
import { decideAccess, describeExceededQuota, type Access } from './decide-access.ts'
import { renderList } from './list-frame.ts'
import { renderPack } from './pack-page.ts'
import { isRelevanceSearch, PAGE_SIZE, parseBrowseQuery, type BrowseQuery } from './parse-browse-query.ts'
import { renderSearch } from './search-page.ts'

export interface BrowseDependencies {
  readonly ports: WebPorts
  readonly renderer: Renderer
  readonly search: PackSearch
  /** Limits searches that are not charged. */
  readonly freeSearches: RateLimiter
  readonly documents: DocumentReader
  /** Bytes of downloads in progress. */
  readonly downloads: ByteBudget
  readonly pages: PageSender
}

const FILE_NAME = /^(?<slug>[a-z0-9-]{1,100})(?<format>\.pack\.json|\.md)?$/

/** Adds the routes of the catalog: the list, the page of each pack, and its downloads. */
export function addBrowseRoutes(app: FastifyInstance, dependencies: BrowseDependencies): void {
  addPage(app, '/browse', (request, reply) => showList(dependencies, request, reply))
  addPage<{ name: string }>(app, '/browse/:name', async (request, reply) => {
    const { slug, format } = FILE_NAME.exec(request.params.name)?.groups ?? {}
    if (format === undefined) reply.header('vary', 'Cookie, Accept')
    const version = slug === undefined ? undefined : await dependencies.ports.catalog.packs.find(slug)
    if (version === undefined || version.slug !== slug) throw unknownPackError()
    const viewer = await dependencies.pages.findViewer(request, reply)
    if (format === undefined && prefersMarkdown(request.headers.accept))
      return sendMarkdown(dependencies, version, viewer.account, request, reply)
    if (format === undefined) return showPack(dependencies, version, viewer, request, reply)
    const wantsFull = format === '.pack.json' || readQuery(request.url)['full'] === '1'
    return sendDownload(dependencies, version, viewer.account, { format, wantsFull }, request, reply)
  })
}

async function showList(
  dependencies: BrowseDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { pages } = dependencies
  const query = parseBrowseQuery(readQuery(request.url))
  const viewer = await pages.findViewer(request, reply)
  const main = isRelevanceSearch(query)
    ? await searchPacks(dependencies, query, viewer, request)
    : await listPacks(dependencies, query, request)
  return pages.send(reply, { title: 'Browse', viewer, main, section: 'browse' })
}

async function searchPacks(
  { ports, search, freeSearches }: BrowseDependencies,
  query: BrowseQuery,
  { mode, account }: Viewer,
  request: FastifyRequest,
): Promise<Html> {
  const now = ports.now()
  const access = await decideAccess(mode, account, ports.quota, now)
  const owner = account?.id ?? clientNetwork(request.ip)
  const wait = access.reason === 'pro' ? 0 : freeSearches.take(owner, now)
  if (wait > 0) throw tooManySearchesError(wait)
  const { domain, difficulty, page } = query
  const filters = { domain: domain || undefined, difficulty: difficulty || undefined }
  const wanted = { text: query.search, ...filters, limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE }
  const found = await search.search(wanted, access.scope, owner)
  logDamaged(ports.log, request, found.damaged)
  return renderSearch({ query, found, access, now, domains: await ports.catalog.packs.domains() })
}

function tooManySearchesError(retryAfter: number): WebError {
  const hint = `Wait ${retryAfter} seconds. Programs should use the API.`
  return new WebError('too_many_pages', 'You searched too often within a minute', hint, { retryAfter })
}

async function listPacks(
  { ports }: BrowseDependencies,
  query: BrowseQuery,
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
  return renderList({ query, ...found, domains: await packs.domains() })
}

/** A list still shows the other packs; results omit the text of damaged ones. */
function logDamaged(log: WebPorts['log'], request: FastifyRequest, damaged: readonly DamagedVersion[]): void {
  if (damaged.length === 0) return
  const names = damaged.map(({ slug, version }) => `${slug}@${version ?? '?'}`)
  const fields = { request_id: request.id, route: request.routeOptions.url, code: 'damaged_pack' }
  log.error({ ...fields, damaged: names }, 'a list omits damaged packs')
}

async function showPack(
  { ports, pages, renderer, documents }: BrowseDependencies,
  version: VersionRecord,
  viewer: Viewer,
  { ip }: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const now = ports.now()
  const versions = await ports.catalog.packs.versions(version.slug)
  const access = await decideAccess(viewer.mode, viewer.account, ports.quota, now)
  const { title, description, pack_digest } = version
  const { scope } = access
  const owner = clientNetwork(ip)
  const rendering = await renderer.render({
    key: `${pack_digest} ${scope}`,
    title,
    owner,
    async load() {
      const { beginning } = await documents.read({ version, part: 'beginning', scope, owner })
      if (beginning === undefined) throw new Error('The reader sent another part')
      return beginning
    },
  })
  const main = renderPack({ version, versions, access, rendering, now })
  return pages.send(reply, { title, description, viewer, main, section: 'browse' })
}

async function sendDownload(
  dependencies: BrowseDependencies,
  version: VersionRecord,
  account: Account | undefined,
  { format, wantsFull }: { readonly format: string; readonly wantsFull: boolean },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { ports } = dependencies
  const now = ports.now()
  const access = await decideAccess(ports.mode.current(), account, ports.quota, now)
  const isPack = format === '.pack.json'
  if (wantsFull && access.scope === 'preview') {
    if (!isPack && access.reason === 'visitor')
      return reply.redirect(formatSignInPath(`/browse/${version.slug}`), 303)
    throw accessError(access, version.slug, now)
  }
  const { scope } = access
  const name = `${version.slug}${scope === 'full' ? '' : '.preview'}${format}`
  return sendPart(dependencies, version, { part: isPack ? 'document' : 'text', scope }, request, reply, {
    'content-disposition': `attachment; filename="${name}"`,
    'content-type': isPack ? 'application/json; charset=utf-8' : MARKDOWN_TYPE,
  })
}

/**
 * Sends the text of a pack that the visitor may see to a client that prefers markdown. It is
 * charged like the page.
 */
async function sendMarkdown(
  dependencies: BrowseDependencies,
  version: VersionRecord,
  account: Account | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { mode, quota, now } = dependencies.ports
  const { scope } = await decideAccess(mode.current(), account, quota, now())
  const headers = { 'content-type': MARKDOWN_TYPE }
  return sendPart(dependencies, version, { part: 'counted-text', scope }, request, reply, headers)
}

/** Sends a part with these headers, or 304 without reading the part if the client has it. */
async function sendPart(
  { documents, downloads }: BrowseDependencies,
  version: VersionRecord,
  task: Pick<PartRequest, 'part' | 'scope'>,
  request: FastifyRequest,
  reply: FastifyReply,
  headers: Readonly<Record<string, string>>,
): Promise<FastifyReply> {
  const owner = clientNetwork(request.ip)
  const etag = createTag(namePart({ version, ...task }))
  reply.headers({ etag, 'cache-control': 'private, no-cache' })
  if (isKnownTag(request, etag)) return reply.code(304).send()
  finished(reply.raw, downloads.take(version.bytes, owner))
  const { bytes, tokens } = await documents.read({ version, ...task, owner })
  if (tokens !== undefined) reply.header('x-markdown-tokens', tokens)
  return reply.headers(headers).send(bytes)
}

function unknownPackError(): WebError {
  const hint = 'Search for it in the list; its name may have changed.'
  return new WebError('unknown_pack', 'There is no such pack', hint)
}

function accessError(access: Access & { scope: 'preview' }, slug: string, now: Date): WebError {
  const path = `/browse/${slug}`
  const back = { path, name: 'Back to the pack' }
  switch (access.reason) {
    case 'visitor': {
      const hint = 'Sign in with a Pro account, or download the preview as markdown.'
      const links = [{ path: formatSignInPath(path), name: 'Sign in' }, back]
      return new WebError('tier_required', 'Only Pro accounts can download whole packs', hint, { links })
    }
    case 'free': {
      const message = 'Only Pro accounts can download whole packs, and yours is Free'
      const hint = 'Download the preview as markdown, or ask the operator for a Pro account.'
      return new WebError('tier_required', message, hint, { links: [back] })
    }
    case 'quota-exceeded': {
      const { reason, hint } = describeExceededQuota(access.state, now)
      return new WebError('allowance_spent', reason, hint, {
        retryAfter: computeRetryAfter(access.state, now),
        links: [back],
      })
    }
  }
}
