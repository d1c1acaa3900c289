import { computeRetryAfter, type Account, type PackVersion } from '@packs/catalog'
import { decode } from '@packs/codec'
import { parsePack, type Pack } from '@packs/codec/pack'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Renderer } from '../../markdown/create-renderer.ts'
import type { Rendering } from '../../markdown/rendering.ts'
import type { WebPorts } from '../../ports.ts'
import { formatSignInPath } from '../../security/read-return-path.ts'
import { WebError } from '../../web-error.ts'
import type { Viewer } from '../page.ts'
import { addPage, readQuery, type PageSender } from '../serve-page.ts'
import { decideAccess, describeExceededQuota, type Access } from './decide-access.ts'
import { renderList } from './list-page.ts'
import { renderPack } from './pack-page.ts'
import { PAGE_SIZE, parseBrowseQuery } from './parse-browse-query.ts'

export interface BrowseDependencies {
  readonly ports: WebPorts
  readonly renderer: Renderer
  readonly pages: PageSender
}

const FILE_NAME = /^(?<slug>[a-z0-9-]{1,100})(?<format>\.pack\.json|\.md)?$/

/** Adds the routes of the catalog: the list, the page of each pack, and its downloads. */
export function addBrowseRoutes(app: FastifyInstance, dependencies: BrowseDependencies): void {
  addPage(app, '/browse', (request, reply) => showList(dependencies, request, reply))
  addPage<{ name: string }>(app, '/browse/:name', async (request, reply) => {
    const { slug, format } = FILE_NAME.exec(request.params.name)?.groups ?? {}
    const version = slug === undefined ? undefined : await dependencies.ports.catalog.packs.latest(slug)
    if (version === undefined || version.slug !== slug) throw unknownPackError()
    const viewer = await dependencies.pages.findViewer(request, reply)
    if (format === undefined) return showPack(dependencies, version, viewer, reply)
    const wantsFull = format === '.pack.json' || readQuery(request.url)['full'] === '1'
    return sendDownload(dependencies, version, viewer.account, { format, wantsFull }, reply)
  })
}

async function showList(
  { ports, pages }: BrowseDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const query = parseBrowseQuery(readQuery(request.url))
  const { packs } = ports.catalog
  const { search, domain, difficulty, sort, page } = query
  const found = await packs.list({
    search: search || undefined,
    domain: domain || undefined,
    difficulty: difficulty || undefined,
    order: sort,
    limit: PAGE_SIZE,
    offset: (page - 1) * PAGE_SIZE,
  })
  const main = renderList({ query, ...found, domains: await packs.domains() })
  const viewer = await pages.findViewer(request, reply)
  return pages.send(reply, { title: 'Browse', viewer, main, section: 'browse' })
}

async function showPack(
  dependencies: BrowseDependencies,
  version: PackVersion,
  viewer: Viewer,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { ports, pages } = dependencies
  const pack = parsePack(version.document)
  const now = ports.now()
  const versions = await ports.catalog.packs.versions(version.slug)
  const access = await decideAccess(viewer.mode, viewer.account, ports.quota, now)
  const rendering = await renderText(dependencies.renderer, pack, access)
  const main = renderPack({ version, pack, versions, access, rendering, now })
  return pages.send(reply, { title: version.title, viewer, main, section: 'browse' })
}

function renderText(renderer: Renderer, pack: Pack, { scope }: Access): Promise<Rendering> {
  const { title, rosetta, pack_digest } = pack
  const content = scope === 'full' ? pack.content : pack.preview_content
  return renderer.render({ key: `${pack_digest} ${scope}`, title, content, rosetta })
}

async function sendDownload(
  { ports }: BrowseDependencies,
  version: PackVersion,
  account: Account | undefined,
  { format, wantsFull }: { readonly format: string; readonly wantsFull: boolean },
  reply: FastifyReply,
): Promise<FastifyReply> {
  const now = ports.now()
  const access = await decideAccess(ports.mode.current(), account, ports.quota, now)
  const isPack = format === '.pack.json'
  if (wantsFull && access.scope === 'preview') {
    if (!isPack && access.reason === 'visitor')
      return reply.redirect(formatSignInPath(`/browse/${version.slug}`), 303)
    throw accessError(access, version.slug, now)
  }
  const name = `${version.slug}${access.scope === 'full' ? '' : '.preview'}${format}`
  reply
    .header('content-disposition', `attachment; filename="${name}"`)
    .header('cache-control', 'private, no-cache')
  if (isPack) return reply.type('application/json; charset=utf-8').send(Buffer.from(version.document))
  const { content, preview_content, rosetta } = parsePack(version.document)
  const text = decode(access.scope === 'full' ? content : preview_content, rosetta)
  return reply.type('text/markdown; charset=utf-8').send(text)
}

function unknownPackError(): WebError {
  return new WebError(
    'unknown_pack',
    'There is no such pack',
    'Search for it in the list: its name may have changed.',
  )
}

function accessError(access: Access & { scope: 'preview' }, slug: string, now: Date): WebError {
  const path = `/browse/${slug}`
  const back = { path, name: 'Back to the pack' }
  switch (access.reason) {
    case 'visitor':
      return new WebError(
        'tier_required',
        'Only Pro accounts can download whole packs',
        'Sign in with a Pro account, or download the preview as markdown.',
        { links: [{ path: formatSignInPath(path), name: 'Sign in' }, back] },
      )
    case 'free':
      return new WebError(
        'tier_required',
        'Only Pro accounts can download whole packs, and yours is Free',
        'Download the preview as markdown, or ask the operator for a Pro account.',
        { links: [back] },
      )
    case 'quota-exceeded': {
      const { reason, hint } = describeExceededQuota(access.state, now)
      return new WebError('allowance_spent', reason, hint, {
        retryAfter: computeRetryAfter(access.state, now),
        links: [back],
      })
    }
  }
}
