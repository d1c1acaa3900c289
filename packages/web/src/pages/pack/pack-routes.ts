import { finished } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { namePart, type PartRequest } from '../../documents/create-document-reader.ts'
import type { TextPart, TextPlace } from '../../documents/read-document.ts'
import { formatSignInPath } from '../../security/cross-site-protection.ts'
import { WebError } from '../../web-error.ts'
import { DEFAULT_LINKS } from '../../html/lit-prompt.ts'
import {
  addPage,
  createTag,
  formatCaching,
  isKnownTag,
  MARKDOWN_TYPE,
  prefersMarkdown,
  readQuery,
  SHARED,
} from '../serve-page.ts'
import {
  exceededQuotaError,
  openAccess,
  openPack,
  pageNotFoundError,
  renderPreviewNote,
  unknownPackError,
} from './open-pack.ts'
import type { Access, OpenedPack, PackDependencies } from './open-pack.ts'
import { composeFor, sendUse, showUse } from './use-page.ts'
import { showChanges, showVersions } from './versions-page.ts'
import { html, trustMarkup, type Html } from '@packs/theme'
import { escapeBidi, formatNumber, renderLangAttribute } from '../../html/display-text.ts'
import type { Rendering } from '../../rendering/create-renderer.ts'
import { renderContents, renderUseBar, sendPackPage, renderDownloads } from './pack-shell.ts'

const FILE_NAME = /^(?<name>[a-z0-9-]{1,100})(?<format>\.pack\.json|\.md)?$/
const VERSION_FILE = /^(?<name>\d{1,9}\.\d{1,9}\.\d{1,9})(?<format>\.pack\.json|\.md)?$/

interface Names {
  readonly slug: string
  readonly version?: string
}

export function addPackRoutes(app: FastifyInstance, dependencies: PackDependencies): void {
  const add = (path: string, show: typeof showUse, allowsYanked = false): void =>
    addPage<Names>(app, path, async (request, reply) => {
      const { slug, version } = request.params
      const number = version === undefined ? {} : VERSION_FILE.exec(version)?.groups
      const names = [FILE_NAME.exec(slug)?.groups, number]
      const isPage = names.every((groups) => groups !== undefined && groups['format'] === undefined)
      if (!isPage) throw unknownPackError(slug)
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
  app.addHook('onListen', (done) => {
    // A pack that cannot be read is reported when somebody opens it.
    void warmUp(dependencies).catch(() => undefined)
    done()
  })
  add('/browse/:slug/use', showUse)
  add('/browse/:slug/versions', showVersions, true)
  add('/browse/:slug/:version/use', showUse)
  add('/browse/:slug/:version/use.md', sendUse)
  add('/browse/:slug/:version/section', sendSection)
  add('/browse/:slug/:version/changes', showChanges)
}

/** A prompt in the scheme that its pack was built with. */
const AS_BUILT = { scheme: undefined, links: DEFAULT_LINKS }

/** Starts what renders and counts, for which the first visitor would wait seconds. */
async function warmUp({ ports, documents, renderer }: PackDependencies): Promise<void> {
  const { packs } = ports.catalog
  const [first] = (await packs.list({ limit: 1, offset: 0 })).packs
  const version = first && (await packs.find(first.slug))
  if (version === undefined) return
  const [scope, owner] = ['preview', ''] as const
  void documents.read({ version, part: 'prompt', scope, options: AS_BUILT, owner }).catch(() => {})
  const { page } = await documents.read({ version, part: 'page', scope, owner })
  await renderer.render({ key: 'first', title: '', owner, load: () => Promise.resolve(page!) })
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
  { version, viewer, owner, reply }: OpenedPack,
  task: Pick<PartRequest, 'part' | 'scope'>,
  headers: Readonly<Record<string, string>>,
): Promise<FastifyReply> {
  const etag = createTag(namePart({ version, ...task }))
  // Some caches do not tell apart what one address has by `Accept`.
  const allowed = formatCaching(viewer, reply.request)
  const caching = task.part === 'counted-text' && allowed === SHARED ? 'private, no-cache' : allowed
  reply.headers({ etag, 'cache-control': caching })
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
  readonly page: TextPart
  readonly rendering: Rendering
  readonly contact: string | undefined
  /** What the URL asks for. */
  readonly place: TextPlace
}

/** Bytes of documents whose prompt is counted for the page of the text. */
const MAX_COUNTED = 128 * 1024

async function showRead(dependencies: PackDependencies, opened: OpenedPack): Promise<FastifyReply> {
  const { renderer, documents, site } = dependencies
  const { version, owner, reply } = opened
  const access = await openAccess(dependencies, opened, [opened.version])
  const { title, pack_digest, bytes } = version
  const { scope } = access
  const place = readPlace(reply.request.url)
  // The page does without the tokens of a prompt that cannot be composed now.
  const counting =
    bytes > MAX_COUNTED
      ? undefined
      : composeFor(dependencies, opened, access, AS_BUILT).catch(() => undefined)
  const { page } = await documents.read({ version, part: 'page', scope, place, owner })
  const { count } = page!
  if ((place.number ?? 1) > count) return reply.redirect(formatPart(opened, count), 303)
  const rendering = await renderer.render({
    key: `${pack_digest} ${scope} ${page!.number}`,
    title,
    owner,
    load: () => Promise.resolve(page!),
  })
  const prompt = await counting
  const isPreview = scope === 'preview'
  const main = renderText({ opened, access, page: page!, rendering, contact: site.contact, place })
  return sendPackPage(dependencies, opened, 'read', main, {
    sample: stripTags(rendering),
    side: renderDownloads(opened, access),
    contents: renderContents(rendering, scope),
    bar: renderUseBar(opened, isPreview, prompt),
    isPreview,
    canCopy: true,
    connects: true,
  })
}

/** The section of a URL, or else the part of the text. */
function readPlace(url: string): TextPlace {
  const { section, part } = readQuery(url)
  if (typeof section === 'string') return { section: section.slice(0, 500) }
  return typeof part === 'string' && /^[1-9]\d{0,5}$/.test(part) ? { number: Number(part) } : {}
}

/** Sends a section that the viewer may see whole: its version is paid once a day. */
async function sendSection(dependencies: PackDependencies, opened: OpenedPack): Promise<FastifyReply> {
  const { version, owner, path, viewer, reply } = opened
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
  const { content } = await reader.slice(version.sequence, found.section, scope, 'inline')
  reply.header('cache-control', formatCaching(viewer, reply.request))
  return reply.type('text/plain; charset=utf-8').send(content)
}

function renderText(view: ReadView): Html {
  const { access, page, rendering, opened, contact } = view
  const { version } = opened
  const { entries, total } = rendering.contents
  const shown = entries.filter(({ place }) => place !== 'locked').length
  const isEmpty = rendering.markup.trim() === ''
  const sections = `/browse/${version.slug}/${version.version}/section?id=`
  const isCut = !rendering.isWhole && !isEmpty && access.scope === 'preview'
  const asked = entries.find(({ id }) => id === view.place.section)?.title
  const name = asked === undefined ? 'This section' : `“${escapeBidi(asked)}”`
  const about =
    page.asked === 'locked' ? `${name} is in the whole pack (Pro)` : 'This is the beginning of the pack'
  return html`<section class="text" aria-label="${access.scope === 'full' ? 'Text' : 'Preview'}">
    ${
      view.place.section !== undefined &&
      page.asked === undefined &&
      html`<p class="note">This pack has no such section. Here is its beginning.</p>`
    }
    ${isCut && renderPreviewNote(access, about, opened.path, opened.now, contact)}
    ${renderParts(page, opened, 'before it')}
    <div
      class="prose"
      id="~intro"
      dir="auto"
      ${renderLangAttribute(stripTags(rendering))}
      data-sections="${sections}"
    >
      ${trustMarkup(rendering.markup)}
    </div>
    ${isEmpty && renderNoTextNote(view)} ${renderParts(page, opened, 'after it')}
    ${
      isCut &&
      page.number === page.count &&
      access.reason !== 'quota-exceeded' &&
      html`<p class="ending">
        <b>The preview ends here</b
        >${total > 1 && (shown === 0 ? ' before the first section' : ` in section ${formatNumber(shown)} of ${formatNumber(total)}`)}.
        ${access.reason === 'visitor' && html`<a href="${formatSignInPath(opened.path)}">Sign in</a> with a Pro account to read on.`}
      </p>`
    }
  </section>`
}

function formatPart({ path }: OpenedPack, number: number): string {
  return number > 1 ? `${path}?part=${number}` : path
}

/** Links to the parts before and after. */
function renderParts({ number, count }: TextPart, opened: OpenedPack, where: string): Html | false {
  const link = (target: number, name: string): Html =>
    html`<a class="button" href="${formatPart(opened, target)}">${name}</a>`
  return (
    count > 1 &&
    html`<nav class="text-parts" aria-label="Parts of the text, ${where}">
      ${number > 1 && link(number - 1, 'Previous')} <span>Part ${number} of ${count}</span>
      ${number < count && link(number + 1, 'Next')}
    </nav>`
  )
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
