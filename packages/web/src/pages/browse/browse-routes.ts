import { decode } from '@packs/codec'
import { type Account, computeRetryAfter, type PackVersion } from '@packs/catalog'
import { parsePack, type Pack } from '@packs/codec/pack'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addPage, type PageSender, readQuery } from '../serve-page.ts'
import type { Viewer } from '../page.ts'
import type { Renderer } from '../../markdown/create-renderer.ts'
import type { Rendering } from '../../markdown/rendering.ts'
import type { WebPorts } from '../../ports.ts'
import { formatSignInPath } from '../../security/read-return-path.ts'
import { WebError } from '../../web-error.ts'
import { type Access, decideAccess, explainSpent } from './decide-access.ts'
import { renderList } from './list-page.ts'
import { renderPack } from './pack-page.ts'
import { PAGE_SIZE, parseBrowseQuery } from './parse-browse-query.ts'

export interface BrowseParts {
  readonly ports: WebPorts
  readonly renderer: Renderer
  readonly pages: PageSender
}

const NAME = /^(?<slug>[a-z0-9-]{1,100})(?<form>\.pack\.json|\.md)?$/

/** Mounts the catalog: the list, a page for each pack, and its downloads. */
export function addBrowseRoutes(app: FastifyInstance, parts: BrowseParts): void {
  addPage(app, '/browse', (request, reply) => showList(parts, request, reply))
  addPage<{ name: string }>(app, '/browse/:name', async (request, reply) => {
    const { slug, form } = NAME.exec(request.params.name)?.groups ?? {}
    const version = slug === undefined ? undefined : await parts.ports.catalog.packs.latest(slug)
    if (version === undefined || version.slug !== slug) throw refuseUnknown()
    const viewer = await parts.pages.findViewer(request, reply)
    if (form === undefined) return showPack(parts, version, viewer, reply)
    const wantsFull = form === '.pack.json' || readQuery(request.url)['full'] === '1'
    return sendDownload(parts, version, viewer.account, { form, wantsFull }, reply)
  })
}

async function showList(
  { ports, pages }: BrowseParts,
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
  return pages.send(reply, { title: 'Browse', viewer, main, place: 'browse' })
}

async function showPack(
  parts: BrowseParts,
  version: PackVersion,
  viewer: Viewer,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { ports, pages } = parts
  const pack = parsePack(version.document)
  const now = ports.now()
  const versions = await ports.catalog.packs.versions(version.slug)
  const access = await decideAccess(viewer.mode, viewer.account, ports.quota, now)
  const rendering = await renderText(parts.renderer, pack, access)
  const main = renderPack({ version, pack, versions, access, rendering, now })
  return pages.send(reply, { title: version.title, viewer, main, place: 'browse' })
}

function renderText(renderer: Renderer, pack: Pack, { sees }: Access): Promise<Rendering> {
  const { title, rosetta, pack_digest } = pack
  const content = sees === 'full' ? pack.content : pack.preview_content
  return renderer.render({ key: `${pack_digest} ${sees}`, title, content, rosetta })
}

async function sendDownload(
  { ports }: BrowseParts,
  version: PackVersion,
  account: Account | undefined,
  { form, wantsFull }: { readonly form: string; readonly wantsFull: boolean },
  reply: FastifyReply,
): Promise<FastifyReply> {
  const now = ports.now()
  const access = await decideAccess(ports.mode.current(), account, ports.quota, now)
  const isPack = form === '.pack.json'
  if (wantsFull && access.sees === 'preview') {
    if (!isPack && access.why === 'visitor')
      return reply.redirect(formatSignInPath(`/browse/${version.slug}`), 303)
    throw refusePack(access, version.slug, now)
  }
  const name = `${version.slug}${access.sees === 'full' ? '' : '.preview'}${form}`
  reply
    .header('content-disposition', `attachment; filename="${name}"`)
    .header('cache-control', 'private, no-cache')
  if (isPack) return reply.type('application/json; charset=utf-8').send(Buffer.from(version.document))
  const { content, preview_content, rosetta } = parsePack(version.document)
  const text = decode(access.sees === 'full' ? content : preview_content, rosetta)
  return reply.type('text/markdown; charset=utf-8').send(text)
}

function refuseUnknown(): WebError {
  return new WebError(
    'unknown_pack',
    'There is no such pack',
    'Look for it in the list; its name may have changed.',
  )
}

function refusePack(access: Access & { sees: 'preview' }, slug: string, now: Date): WebError {
  const path = `/browse/${slug}`
  const back = { path, name: 'Back to the pack' }
  switch (access.why) {
    case 'visitor':
      return new WebError(
        'tier_required',
        'Packs are downloaded by Pro accounts',
        'Sign in with one, or download the preview as markdown.',
        { links: [{ path: formatSignInPath(path), name: 'Sign in' }, back] },
      )
    case 'free':
      return new WebError(
        'tier_required',
        'Packs are downloaded by Pro accounts, and yours is Free',
        'Download the preview as markdown, or ask an operator for Pro.',
        { links: [back] },
      )
    case 'spent': {
      const { reason, hint } = explainSpent(access.state, now)
      return new WebError('allowance_spent', reason, hint, {
        retryAfter: computeRetryAfter(access.state, now),
        links: [back],
      })
    }
  }
}
