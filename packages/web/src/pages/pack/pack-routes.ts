import { finished } from 'node:stream'
import { writeLinks } from '@packs/codec/internal'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { namePart, type PartRequest } from '../../documents/create-document-reader.ts'
import { formatSignInPath } from '../../security/cross-site-protection.ts'
import { WebError } from '../../web-error.ts'
import { addPage, createTag, isKnownTag, MARKDOWN_TYPE, prefersMarkdown, readQuery } from '../serve-page.ts'
import {
  describeExceededQuota,
  exceededQuotaError,
  openAccess,
  openPack,
  pageNotFoundError,
  unknownPackError,
} from './open-pack.ts'
import type { Access, OpenedPack, PackDependencies } from './open-pack.ts'
import { renderViews, sendUse, showModelText, showUse } from './use-page.ts'
import { showChanges, showVersions } from './versions-page.ts'
import { html, trustMarkup, type Html } from '@packs/theme'
import { formatCount, formatNumber, renderLangAttribute } from '../../html/display-text.ts'
import type { Rendering } from '../../rendering/create-renderer.ts'
import { renderProHint } from '../page.ts'
import { renderContents, sendPackPage, renderDownloads } from './pack-shell.ts'

const FILE_NAME = /^(?<name>[a-z0-9-]{1,100})(?<format>\.pack\.json|\.md)?$/
const VERSION_FILE = /^(?<name>\d{1,9}\.\d{1,9}\.\d{1,9})(?<format>\.pack\.json|\.md)?$/

type Show = (dependencies: PackDependencies, opened: OpenedPack) => Promise<FastifyReply>

interface Names {
  readonly slug: string
  readonly version?: string
}

export function addPackRoutes(app: FastifyInstance, dependencies: PackDependencies): void {
  const add = (path: string, show: Show, allowsYanked = false): void =>
    addPage<Names>(app, path, async (request, reply) => {
      const { slug, version } = request.params
      const number = version === undefined ? {} : VERSION_FILE.exec(version)?.groups
      if (
        [FILE_NAME.exec(slug)?.groups, number].some(
          (groups) => groups === undefined || groups['format'] !== undefined,
        )
      )
        throw unknownPackError(slug)
      const opened = await openPack(dependencies, slug, version, reply, allowsYanked)
      return show(dependencies, opened)
    })
  addPage<Names>(app, '/browse/:slug', (request, reply) => {
    const { name, format } = FILE_NAME.exec(request.params.slug)?.groups ?? {}
    if (name === undefined) throw unknownPackError(request.params.slug)
    return showText(dependencies, name, undefined, format, reply)
  })
  addPage<Names>(app, '/browse/:slug/:version', (request, reply) => {
    const { name, format } = VERSION_FILE.exec(request.params.version ?? '')?.groups ?? {}
    if (name === undefined) throw pageNotFoundError()
    return showText(dependencies, request.params.slug, name, format, reply)
  })
  add('/browse/:slug/use', showUse)
  add('/browse/:slug/versions', showVersions, true)
  add('/browse/:slug/:version/use', showUse)
  add('/browse/:slug/:version/use.md', sendUse)
  add('/browse/:slug/:version/section', sendSection)
  add('/browse/:slug/:version/changes', showChanges)
}

/** Shows the text as a page, as markdown for clients that prefer it, or as a file. */
async function showText(
  dependencies: PackDependencies,
  slug: string,
  version: string | undefined,
  format: string | undefined,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { url, headers } = reply.request
  if (format === undefined) reply.header('vary', 'Cookie, Accept')
  const opened = await openPack(dependencies, slug, version, reply)
  if (format === undefined && prefersMarkdown(headers.accept)) return sendMarkdown(dependencies, opened)
  if (format === undefined) return showRead(dependencies, opened)
  const wantsFull = format === '.pack.json' || readQuery(url)['full'] === '1'
  return sendDownload(dependencies, opened, format, wantsFull)
}

/** Sends the file that a URL with an extension names. */
async function sendDownload(
  dependencies: PackDependencies,
  opened: OpenedPack,
  format: string,
  wantsFull: boolean,
): Promise<FastifyReply> {
  const { version, path, now, reply } = opened
  const access = await openAccess(dependencies, opened, [opened.version])
  const isPack = format === '.pack.json'
  if (wantsFull && access.scope === 'preview') {
    if (!isPack && access.reason === 'visitor') return reply.redirect(formatSignInPath(path), 303)
    throw accessError(access, path, now)
  }
  const { scope } = access
  const name = `${version.slug}${opened.isExact ? `-${version.version}` : ''}${scope === 'full' ? '' : '.preview'}${format}`
  return sendPart(dependencies, opened, { part: isPack ? 'document' : 'text', scope } as const, {
    'content-disposition': `attachment; filename="${name}"`,
    'content-type': isPack ? 'application/json; charset=utf-8' : MARKDOWN_TYPE,
  })
}

/** For clients that prefer markdown; charged like the page. */
async function sendMarkdown(dependencies: PackDependencies, opened: OpenedPack): Promise<FastifyReply> {
  const { scope } = await openAccess(dependencies, opened, [opened.version])
  const headers = { 'content-type': MARKDOWN_TYPE }
  return sendPart(dependencies, opened, { part: 'counted-text', scope }, headers)
}

/** Sends a part with these headers, or 304 without reading the part if the client has it. */
async function sendPart(
  { documents, downloads }: PackDependencies,
  { version, owner, reply }: OpenedPack,
  task: Pick<PartRequest, 'part' | 'scope'>,
  headers: Readonly<Record<string, string>>,
): Promise<FastifyReply> {
  const etag = createTag(namePart({ version, ...task }))
  reply.headers({ etag, 'cache-control': 'private, no-cache' })
  if (isKnownTag(reply.request, etag)) return reply.code(304).send()
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
    case 'quota-exceeded':
      return exceededQuotaError(access.state, now, [back])
  }
}

interface ReadView {
  readonly opened: OpenedPack
  readonly access: Access
  readonly rendering: Rendering
  readonly contact: string | undefined
}

async function showRead(dependencies: PackDependencies, opened: OpenedPack): Promise<FastifyReply> {
  const { renderer, documents, site } = dependencies
  const { version, owner, reply } = opened
  const access = await openAccess(dependencies, opened, [opened.version])
  if (access.scope === 'full' && readQuery(reply.request.url)['view'] === 'models')
    return showModelText(dependencies, opened, access)
  const { title, pack_digest } = version
  const { scope } = access
  const rendering = await renderer.render({
    key: `${pack_digest} ${scope}`,
    title,
    owner,
    async load() {
      const { beginning } = await documents.read({ version, part: 'beginning', scope, owner })
      return beginning!
    },
  })
  const main = renderText({ opened, access, rendering, contact: site.contact })
  return sendPackPage(dependencies, opened, 'read', main, {
    sample: stripTags(rendering),
    side: renderDownloads(opened, access, site.contact),
    contents: renderContents(rendering, scope),
    isPreview: scope === 'preview',
    connects: true,
  })
}

/** Sends a section that the viewer may see whole: its version is paid once a day. */
async function sendSection(dependencies: PackDependencies, opened: OpenedPack): Promise<FastifyReply> {
  const { version, owner, path, reply } = opened
  const reader = dependencies.sections.for(owner)
  const found = await reader.find(version.sequence, String(readQuery(reply.request.url)['id'] ?? ''))
  const links = [{ path, name: 'Back to the pack' }]
  const choice = 'Choose one from its contents.'
  if (found?.section === undefined)
    throw new WebError('page_not_found', 'The pack has no such section', choice, { links })
  const { scope } = await openAccess(dependencies, opened, [opened.version])
  const hint = 'Pro accounts see all sections.'
  if (scope === 'preview' && found.section.end > found.preview)
    throw new WebError('tier_required', 'This section is beyond the preview', hint, { links })
  const { text, links: addresses, ...page } = await reader.text(version.sequence, found.section, scope)
  reply.header('cache-control', 'private, no-cache').type('text/plain; charset=utf-8')
  return reply.send(writeLinks(text, addresses, 'inline', page))
}

function renderText(view: ReadView): Html {
  const { access, rendering, opened, contact } = view
  const { version } = opened
  const { opening, contents } = rendering
  const { entries, total } = contents
  const linked = entries.filter(({ isLinked }) => isLinked).length
  const isEmpty = rendering.markup.trim() === ''
  const sections = `/browse/${version.slug}/${version.version}/section?id=`
  return html`<section class="text" aria-label="${access.scope === 'full' ? 'Text' : 'Preview'}">
    ${access.scope === 'full' && renderViews(opened, 'people')}
    ${!rendering.isWhole && !isEmpty && access.scope === 'preview' && renderPreviewNote(access, opened)}
    <div
      class="prose"
      id="~intro"
      dir="auto"
      ${renderLangAttribute(stripTags(rendering))}
      data-sections="${sections}"
    >
      ${
        opening !== undefined &&
        html`<p class="opening" dir="ltr">
          <button type="button" class="copy" hidden data-copy-section="${opening.id}">
            Copy ${formatCount(opening.tokens, 'token')}
          </button>
        </p>`
      }
      ${trustMarkup(rendering.markup)}
    </div>
    ${isEmpty && renderNoTextNote(view)}
    ${
      !rendering.isWhole &&
      !isEmpty &&
      access.reason !== 'quota-exceeded' &&
      html`<p class="ending">
        <b>The preview ends here</b
        >${total > 1 && ` in section ${formatNumber(Math.max(1, linked))} of ${formatNumber(total)}`}.
        ${renderProHint(contact)}
      </p>`
    }
    ${
      rendering.isTruncated &&
      html`<p class="note">
        This page shows only the beginning.
        <a href="${opened.path}.md${access.scope === 'full' && '?full=1'}">Download the text</a> to read the
        rest.
      </p>`
    }
  </section>`
}

/** Returns the beginning of the text without tags. */
function stripTags({ markup }: Rendering): string {
  return markup.slice(0, 8000).replace(/<[^<>]*>/g, '')
}

function renderNoTextNote({ access, opened }: ReadView): Html {
  if (access.scope === 'full') return html`<p class="quiet">This pack has no text.</p>`
  return html`<p class="quiet">
    This pack is too short for a preview.
    ${access.reason === 'visitor' && html`<a href="${formatSignInPath(opened.path)}">Sign in</a> with a Pro account to see it.`}
  </p>`
}

function renderPreviewNote(access: Access & { scope: 'preview' }, { path, now }: OpenedPack): Html {
  switch (access.reason) {
    case 'visitor':
      return html`<p class="note">
        This is the beginning of the pack. <a href="${formatSignInPath(path)}">Sign in</a> with a Pro account
        to see all of it.
      </p>`
    case 'free':
      return html`<p class="note">
        This is the beginning of the pack. Your account is Free; Pro accounts see all of it.
      </p>`
    case 'quota-exceeded': {
      const { reason, hint } = describeExceededQuota(access.state, now)
      return html`<p class="note">This is only the beginning of the pack. ${reason}. ${hint}</p>`
    }
  }
}
