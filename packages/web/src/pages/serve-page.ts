import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { renderPage, type AssetPaths, type Page, type SiteFacts, type Viewer } from './page.ts'
import { readFile } from 'node:fs/promises'
import type { LinkForm } from '@packs/codec/internal'
import { createTermStyle, TERM_SCRIPT, THEME } from '@packs/theme'
import { DEFAULT_LINKS, LINK_FORMS } from '../html/lit-prompt.ts'
import { SESSION_COOKIE } from '../accounts/create-sign-in.ts'
import { securityHeaders } from '../security/cross-site-protection.ts'

export interface PageSender {
  /** Finds the viewer of a request, and sets the cookie of a renewed session on the reply. */
  findViewer(reply: FastifyReply): Promise<Viewer>
  /** Sends a page, with {@link formatCaching} unless the reply has another `cache-control`. */
  send(reply: FastifyReply, page: Page): Promise<FastifyReply>
}

export function createPageSender(
  assets: AssetPaths,
  site: SiteFacts,
  findViewer: PageSender['findViewer'],
): PageSender {
  return {
    findViewer,
    async send(reply, page) {
      const text = renderPage(page, assets, site)
      if (page.script !== undefined || page.connects)
        // Scripts fetch from this site, and those of single pages start workers too.
        reply.header(
          'content-security-policy',
          `${securityHeaders['content-security-policy']}; connect-src 'self'${page.script === undefined ? '' : "; worker-src 'self'"}`,
        )
      if (!reply.hasHeader('cache-control') && page.viewer !== undefined)
        reply.headers({ etag: createTag(text), 'cache-control': formatCaching(page.viewer, reply.request) })
      return reply.type('text/html; charset=utf-8').send(text)
    },
  }
}

/** For what all visitors get alike: shared caches keep it for a minute, browsers ask each time. */
export const SHARED = 'public, max-age=0, s-maxage=60'

/**
 * Says who may store what a viewer gets. In recovery mode nobody does, because it may have whole
 * texts, which a cache would still have when the catalog is online again.
 */
export function formatCaching({ mode, account }: Viewer, { headers }: FastifyRequest): string {
  if (mode.mode === 'recovery') return 'private, no-store'
  const isVisitor = account === undefined && !headers.cookie?.includes(SESSION_COOKIE)
  return isVisitor ? SHARED : 'private, no-cache'
}

export function addPage<Params = unknown>(
  app: FastifyInstance,
  url: string,
  handler: (
    request: FastifyRequest<{ Params: Params }>,
    reply: FastifyReply,
  ) => Promise<FastifyReply> | FastifyReply,
): void {
  app.route<{ Params: Params }>({ method: ['GET', 'HEAD'], url, handler })
}

/** Parses the query of a URL. A repeated field becomes a list. */
export function readQuery(url: string): Readonly<Record<string, string | readonly string[]>> {
  const start = url.indexOf('?')
  const query = new URLSearchParams(start < 0 ? '' : url.slice(start))
  const fields = [...new Set(query.keys())].map((name) => {
    const values = query.getAll(name)
    return [name, values.length === 1 ? (values[0] ?? '') : values] as const
  })
  return Object.fromEntries(fields)
}

export function readLinkForm(url: string): LinkForm {
  const { links } = readQuery(url)
  return LINK_FORMS.find((name) => name === links) ?? DEFAULT_LINKS
}

const PAGE_PATH = /^(\/(?:browse|docs|prompt|settings|try)(?:\/[\w.-]+)*)(\/*)(\?.*)?$/i

/**
 * Returns the URL of a page whose path ends with slashes or, below `/browse`, has upper-case
 * letters; undefined if it is right as it is, or not such a page.
 * @example
 * findCanonicalPath('/browse/TLS-Basics/?x') // '/browse/tls-basics?x'
 */
export function findCanonicalPath(url: string): string | undefined {
  const [, path = '', , query = ''] = PAGE_PATH.exec(url) ?? []
  const right = (/^\/browse/i.test(path) ? path.toLowerCase() : path) + query
  return path === '' || right === url ? undefined : right
}

export function createTag(content: string | Uint8Array): string {
  return `"${hash('sha256', content, 'base64url').slice(0, 32)}"`
}

export function isKnownTag({ headers }: FastifyRequest, etag: string): boolean {
  const known = headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return known?.includes(etag) ?? false
}

export const MARKDOWN_TYPE = 'text/markdown; charset=utf-8'

/** Sends a text, as a file of this name if the query asks for a download. */
export function sendMarkdown(
  reply: FastifyReply,
  viewer: Viewer,
  text: string,
  fileName: string,
): FastifyReply {
  const { request } = reply
  const etag = createTag(text)
  reply.headers({ etag, 'cache-control': formatCaching(viewer, request) })
  if (isKnownTag(request, etag)) return reply.code(304).send()
  if (readQuery(request.url)['download'] === '1')
    reply.header('content-disposition', `attachment; filename="${fileName}"`)
  return reply.type(MARKDOWN_TYPE).send(text)
}

/**
 * Whether a request asks for markdown: `Accept` must name it and rank it at least as high as HTML.
 * Browsers never name it, so they get HTML.
 * @example
 * prefersMarkdown('text/markdown, text/html;q=0.9, *\/*;q=0.8') // true
 */
export function prefersMarkdown(accept: string | undefined): boolean {
  if (accept === undefined || !/text\/markdown/i.test(accept)) return false
  const qualities = new Map(accept.toLowerCase().split(',', 50).map(parseRange))
  const markdown = qualities.get('text/markdown') ?? 0
  const html = qualities.get('text/html') ?? qualities.get('text/*') ?? qualities.get('*/*') ?? 0
  return markdown > 0 && markdown >= html
}

/** Parses a media range and its quality, which is 1 if it is absent or unreadable. */
function parseRange(range: string): readonly [type: string, quality: number] {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice('q='.length)
  const number = Number(quality ?? 1)
  return [type, Number.isNaN(number) ? 1 : Math.min(Math.max(number, 0), 1)]
}

interface Asset {
  readonly path: string
  readonly type: string
  readonly bytes: Buffer
}

const FOLDER = new URL('../../assets/', import.meta.url)
/** In the order of the stylesheet that they form. */
const STYLES = 'base home list pack versions prose prompt try docs settings print'.split(' ')

/** Reads the static files. Their paths have a content hash, so browsers may cache them forever. */
export async function loadAssets(): Promise<{
  readonly paths: AssetPaths
  readonly files: readonly Asset[]
}> {
  const styles = await Promise.all(STYLES.map((name) => readFile(new URL(`${name}.css`, FOLDER))))
  const style = Buffer.concat([Buffer.from(`${THEME}${createTermStyle(100)}`), ...styles])
  const stylesheet = createAsset('style', 'css', 'text/css; charset=utf-8', style)
  const [script, trial] = await Promise.all(
    ['page', 'try'].map(async (name) => createScript(name, await readFile(new URL(`${name}.js`, FOLDER)))),
  )
  const terms = createScript('terms', Buffer.from(TERM_SCRIPT))
  const icon = createAsset('icon', 'svg', 'image/svg+xml', await readFile(new URL('icon.svg', FOLDER)))
  return {
    paths: {
      stylesheet: stylesheet.path,
      script: script!.path,
      icon: icon.path,
      scripts: { terms: terms.path, try: trial!.path },
    },
    files: [stylesheet, script!, terms, trial!, icon],
  }
}

/** Of files whose paths have a content hash. */
export const IMMUTABLE = 'public, max-age=31536000, immutable'

export function addAssetRoutes(app: FastifyInstance, files: readonly Asset[]): void {
  for (const { path, type, bytes } of files) {
    addPage(app, path, (_request, reply) => reply.header('cache-control', IMMUTABLE).type(type).send(bytes))
  }
}

export function createScript(name: string, bytes: Buffer): Asset {
  return createAsset(name, 'js', 'text/javascript; charset=utf-8', bytes)
}

export function createAsset(name: string, extension: string, type: string, bytes: Buffer): Asset {
  const digest = hash('sha256', bytes, 'base64url').slice(0, 12)
  return { path: `/assets/${name}.${digest}.${extension}`, type, bytes }
}
