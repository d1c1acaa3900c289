import { createRequire } from 'node:module'
import {
  clientNetwork,
  createByteBudget,
  createPackSearch,
  createRateLimiter,
  createReader,
  createVersionQuota,
  type CatalogSample,
  type Mode,
} from '@packs/catalog'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { createAuth } from './accounts/create-auth.ts'
import { createSignIn, SESSION_COOKIE, createDeviceCookies } from './accounts/create-sign-in.ts'
import { createPasswords } from './accounts/passwords.ts'
import { createDocumentReader, createTextCache } from './documents/create-document-reader.ts'
import { html, trustMarkup } from '@packs/theme'
import { createAccountMails } from './mail/create-account-mails.ts'
import { createRenderer } from './rendering/create-renderer.ts'
import { addBrowseRoutes } from './pages/browse/browse-routes.ts'
import { sendErrorPage } from './pages/error-page.ts'
import { addHomePage, createSampleReader } from './pages/home-page.ts'
import { addDiscoveryRoutes } from './pages/discovery-routes.ts'
import { chargePage, pageNotFoundError } from './pages/pack/open-pack.ts'
import { addPackRoutes } from './pages/pack/pack-routes.ts'
import { renderPage, type SiteFacts } from './pages/page.ts'
import { addPromptRoutes } from './pages/prompt-page.ts'
import { addTryRoutes } from './pages/try/try-page.ts'
import {
  addAssetRoutes,
  loadAssets,
  addPage,
  createPageSender,
  findCanonicalPath,
  type PageSender,
} from './pages/serve-page.ts'
import { addCodeRoutes, addVerifyRoutes } from './pages/settings/code-routes.ts'
import { createFlashMessages } from './pages/settings/flash-messages.ts'
import { addSettingsRoutes } from './pages/settings/settings-routes.ts'
import { addSignInRoutes, readClientHeaders } from './pages/settings/sign-in-routes.ts'
import { createLimits } from './security/create-limits.ts'
import {
  checkOrigin,
  securityHeaders,
  formatSignInPath,
  readReturnPath,
} from './security/cross-site-protection.ts'
import type { WebOptions, WebPorts } from './ports.ts'
import { tooManyPagesError } from './web-error.ts'

export interface Web {
  /** Adds the routes of the pages. Register it without a prefix. */
  readonly plugin: FastifyPluginAsync
  readonly site: Site
  /** Ends what reads and renders documents, and waits a few seconds for mails in transit. */
  close(): Promise<void>
}

/** Lets other packages send pages in the same layout. */
export interface Site {
  readonly headers: Readonly<Record<string, string>>
  /** Whether a request has the cookie of a session, which may have ended. */
  hasSession(request: FastifyRequest): boolean
  /** Renders a page of a mode. `body` is trusted HTML and is not escaped. */
  write(title: string, body: string, mode: Mode, isVisitor: boolean): Promise<string>
  /** Undefined while the catalog cannot be read. */
  readSample(): Promise<CatalogSample | undefined>
  /** Sends the error page for an unknown path. */
  refusePath(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
}

const { version: program } = createRequire(import.meta.url)('../package.json') as { readonly version: string }
const MINUTE_MS = 60_000
/** Pages for one network: enough for an office behind one IP address. */
const PAGES_A_MINUTE = 600
/** Searches, and prompts, of a network or an account that is not charged for them. */
const FREE_A_MINUTE = 60
const MAX_FORM_BYTES = 16_384
/** Maximum bytes of packs held in memory for slow downloads. */
const MAX_DOWNLOADS = 256 * 1024 * 1024

/**
 * Creates the pages. They work without JavaScript, except that `/try` compresses in the browser.
 * @throws CatalogError if the database is unreachable
 */
export async function createWeb(ports: WebPorts, options: WebOptions): Promise<Web> {
  const { paths, files } = await loadAssets()
  const { database } = ports.catalog
  const passwords = createPasswords()
  const auth = await createAuth(ports, options, database, passwords)
  const devices = createDeviceCookies(await ports.catalog.settings.secret('sign-in'), options.baseUrl)
  const signIn = createSignIn(auth, ports, devices, passwords)
  const texts = createTextCache((ports.catalog.memory / 32) * 2 ** 20)
  const renderer = createRenderer(texts)
  const reader = ports.reader ?? createReader(ports.catalog)
  const documents = createDocumentReader(reader.visitors.documents, texts)
  const search = createPackSearch(ports.catalog, reader.visitors.sections)
  const freeSearches = createRateLimiter({ limit: FREE_A_MINUTE, windowMs: MINUTE_MS })
  const freePrompts = createRateLimiter({ limit: FREE_A_MINUTE, windowMs: MINUTE_MS })
  const downloads = createByteBudget(MAX_DOWNLOADS)
  const site: SiteFacts = { baseUrl: options.baseUrl, contact: options.contact, program }
  const pages = createPageSender(paths, site, async (reply) => {
    const { request } = reply
    const session = await signIn.findSession(readClientHeaders(request))
    if (session !== undefined && session.cookies.length > 0) reply.header('set-cookie', [...session.cookies])
    // A sign-in that starts on a catalog page leads back to it.
    const returnPath = request.url.startsWith('/browse')
      ? readReturnPath(request.url, '/settings')
      : '/settings'
    const signInPath = session === undefined ? formatSignInPath(returnPath) : undefined
    return { mode: ports.mode.current(), account: session?.account, signInPath }
  })
  const readSample = createSampleReader(ports.catalog, reader.visitors.sections, options.baseUrl)
  const limits = createLimits(database)
  const mails = options.mail && createAccountMails(ports, options.mail, { limits, baseUrl: options.baseUrl })
  return {
    site: {
      headers: securityHeaders,
      hasSession: ({ headers }) => headers.cookie?.includes(SESSION_COOKIE) ?? false,
      async write(title, body, mode, isVisitor) {
        const main = html`<div class="document">${trustMarkup(body)}</div>`
        const viewer = { mode, account: undefined, signInPath: isVisitor ? '/settings' : undefined }
        return renderPage({ title, main, section: 'docs', viewer }, paths, site)
      },
      readSample: () => readSample().catch(() => undefined),
      async refusePath(request, reply) {
        const path = findCanonicalPath(request.url)
        reply.headers(securityHeaders)
        if (path !== undefined) return reply.redirect(path, 301)
        return sendErrorPage(pageNotFoundError(), reply, ports, pages)
      },
    },
    async plugin(app) {
      addSharedHooks(app, ports, options, pages)
      addAssetRoutes(app, files)
      addHomePage(app, pages, readSample)
      addDiscoveryRoutes(app, ports, options.baseUrl, paths.icon)
      const { sections } = reader.visitors
      addBrowseRoutes(app, { ports, site, search, sections, freeSearches, pages })
      const versionQuota = createVersionQuota(ports.quota)
      const documentQueue = reader.visitors.documents
      const reading = { renderer, documents, documentQueue, sections, freePrompts, downloads, versionQuota }
      addPackRoutes(app, { ports, site, pages, ...reading })
      addPromptRoutes(app, { ports, site, pages, ...reading })
      await addTryRoutes(app, pages)
      const { baseUrl, contact } = options
      const accounts = { auth, passwords, signIn, limits, mails, contact, readSample }
      const dependencies = { ports, pages, ...accounts, flashMessages: createFlashMessages(baseUrl) }
      for (const addRoutes of [addSignInRoutes, addCodeRoutes, addVerifyRoutes, addSettingsRoutes])
        addRoutes(app, dependencies)
      for (const path of ['/browse/*', '/settings/*']) {
        addPage(app, path, () => {
          throw pageNotFoundError()
        })
      }
    },
    async close() {
      await Promise.all([mails?.close(), reader.close()])
      await renderer.close()
    },
  }
}

/** Adds what all pages share: parsing, headers, the origin check, the limit, error pages. */
function addSharedHooks(
  app: FastifyInstance,
  ports: WebPorts,
  { baseUrl }: WebOptions,
  pages: PageSender,
): void {
  const visits = createRateLimiter({ limit: PAGES_A_MINUTE, windowMs: MINUTE_MS })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  )
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(securityHeaders)
    if (request.method !== 'GET' && request.method !== 'HEAD') checkOrigin(request.headers, baseUrl)
    if (request.url.startsWith('/assets/')) return undefined
    const path = findCanonicalPath(request.url)
    if (path !== undefined) return reply.redirect(path, 301)
    reply.header('vary', 'Cookie')
    const wait = visits.take(clientNetwork(request.ip), ports.now())
    if (wait > 0) throw tooManyPagesError('You opened too many pages within a minute', wait)
    return undefined
  })
  app.addHook('onSend', (_request, reply) => chargePage(reply, ports.now()))
  // An error in an earlier hook occurs before the security headers are set.
  app.setErrorHandler((error, _request, reply) =>
    sendErrorPage(error, reply.headers(securityHeaders), ports, pages),
  )
}
