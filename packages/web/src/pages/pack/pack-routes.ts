import { finished } from 'node:stream'
import { computeRetryAfter } from '@packs/catalog'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { namePart, type PartRequest } from '../../documents/create-document-reader.ts'
import { formatSignInPath } from '../../security/cross-site-protection.ts'
import { WebError } from '../../web-error.ts'
import { addPage, createTag, isKnownTag, MARKDOWN_TYPE, prefersMarkdown, readQuery } from '../serve-page.ts'
import {
  describeExceededQuota,
  type Access,
  openAccess,
  openPack,
  pageNotFoundError,
  unknownPackError,
  type OpenedPack,
  type PackDependencies,
} from './open-pack.ts'
import { sendSection, showRead } from './read-page.ts'
import { sendUse, showUse } from './use-page.ts'
import { showChanges } from './changes-page.ts'
import { showVersions } from './versions-page.ts'

const FILE_NAME = /^(?<name>[a-z0-9-]{1,100})(?<format>\.pack\.json|\.md)?$/
const VERSION_FILE = /^(?<name>\d{1,9}\.\d{1,9}\.\d{1,9})(?<format>\.pack\.json|\.md)?$/

type Show = (
  dependencies: PackDependencies,
  opened: OpenedPack,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<FastifyReply>

interface Names {
  readonly slug: string
  readonly version?: string
}

/** Adds the pages of packs and of their versions, and their downloads. */
export function addPackRoutes(app: FastifyInstance, dependencies: PackDependencies): void {
  const add = (path: string, show: Show, allowsYanked = false): void =>
    addPage<Names>(app, path, async (request, reply) => {
      const { slug, version } = request.params
      const names = [
        FILE_NAME.exec(slug)?.groups,
        version === undefined ? {} : VERSION_FILE.exec(version)?.groups,
      ]
      if (names.some((groups) => groups === undefined || groups['format'] !== undefined))
        throw unknownPackError(slug)
      const opened = await openPack(dependencies, slug, version, request, reply, allowsYanked)
      return show(dependencies, opened, request, reply)
    })
  addPage<Names>(app, '/browse/:slug', (request, reply) => {
    const { name, format } = FILE_NAME.exec(request.params.slug)?.groups ?? {}
    if (name === undefined) throw unknownPackError(request.params.slug)
    return showText(dependencies, { slug: name, version: undefined, format }, request, reply)
  })
  addPage<Names>(app, '/browse/:slug/:version', (request, reply) => {
    const { name, format } = VERSION_FILE.exec(request.params.version ?? '')?.groups ?? {}
    if (name === undefined) throw pageNotFoundError()
    return showText(dependencies, { slug: request.params.slug, version: name, format }, request, reply)
  })
  add('/browse/:slug/use', showUse)
  add('/browse/:slug/versions', showVersions, true)
  add('/browse/:slug/:version/use', showUse)
  add('/browse/:slug/:version/use.md', sendUse)
  add('/browse/:slug/:version/section', sendSection)
  add('/browse/:slug/:version/changes', showChanges)
}

interface TextNames {
  readonly slug: string
  readonly version: string | undefined
  readonly format: string | undefined
}

/** Shows the text as a page, as markdown for clients that prefer it, or as a file. */
async function showText(
  dependencies: PackDependencies,
  { slug, version, format }: TextNames,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (format === undefined) reply.header('vary', 'Cookie, Accept')
  const opened = await openPack(dependencies, slug, version, request, reply)
  if (format === undefined && prefersMarkdown(request.headers.accept))
    return sendMarkdown(dependencies, opened, request, reply)
  if (format === undefined) return showRead(dependencies, opened, request, reply)
  const wantsFull = format === '.pack.json' || readQuery(request.url)['full'] === '1'
  return sendDownload(dependencies, opened, { format, wantsFull }, request, reply)
}

/** Sends the file that a URL with an extension names. */
async function sendDownload(
  dependencies: PackDependencies,
  opened: OpenedPack,
  { format, wantsFull }: { readonly format: string; readonly wantsFull: boolean },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { version, path, now } = opened
  const access = await openAccess(dependencies, opened)
  const isPack = format === '.pack.json'
  if (wantsFull && access.scope === 'preview') {
    if (!isPack && access.reason === 'visitor') return reply.redirect(formatSignInPath(path), 303)
    throw accessError(access, path, now)
  }
  const { scope } = access
  const name = `${version.slug}${opened.isExact ? `-${version.version}` : ''}${scope === 'full' ? '' : '.preview'}${format}`
  return sendPart(dependencies, opened, { part: isPack ? 'document' : 'text', scope }, request, reply, {
    'content-disposition': `attachment; filename="${name}"`,
    'content-type': isPack ? 'application/json; charset=utf-8' : MARKDOWN_TYPE,
  })
}

/**
 * Sends the text of a pack that the visitor may see to a client that prefers markdown. It is
 * charged like the page.
 */
async function sendMarkdown(
  dependencies: PackDependencies,
  opened: OpenedPack,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { scope } = await openAccess(dependencies, opened)
  const headers = { 'content-type': MARKDOWN_TYPE }
  return sendPart(dependencies, opened, { part: 'counted-text', scope }, request, reply, headers)
}

/** Sends a part with these headers, or 304 without reading the part if the client has it. */
async function sendPart(
  { documents, downloads }: PackDependencies,
  { version, owner }: OpenedPack,
  task: Pick<PartRequest, 'part' | 'scope'>,
  request: FastifyRequest,
  reply: FastifyReply,
  headers: Readonly<Record<string, string>>,
): Promise<FastifyReply> {
  const etag = createTag(namePart({ version, ...task }))
  reply.headers({ etag, 'cache-control': 'private, no-cache' })
  if (isKnownTag(request, etag)) return reply.code(304).send()
  finished(reply.raw, downloads.take(version.bytes, owner))
  const { bytes, tokens } = await documents.read({ version, ...task, owner })
  if (tokens !== undefined) reply.header('x-markdown-tokens', tokens)
  return reply.headers(headers).send(bytes)
}

function accessError(access: Access & { scope: 'preview' }, path: string, now: Date): WebError {
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
