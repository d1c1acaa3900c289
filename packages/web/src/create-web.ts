import {
  clientNetwork,
  createByteBudget,
  createPackSearch,
  createRateLimiter,
  createReader,
} from '@packs/catalog'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { createAuth } from './accounts/create-auth.ts'
import { createSignIn } from './accounts/create-sign-in.ts'
import { createPasswords } from './accounts/passwords.ts'
import { createDocumentReader } from './documents/create-document-reader.ts'
import { html, trustMarkup } from '@packs/codec/theme'
import { createAccountMails } from './mail/create-account-mails.ts'
import { createRenderer } from './markdown/create-renderer.ts'
import { addBrowseRoutes } from './pages/browse/browse-routes.ts'
import { sendErrorPage } from './pages/error-page.ts'
import { renderHome } from './pages/home/home-page.ts'
import { addLlmsRoute } from './pages/llms-text.ts'
import { renderPage } from './pages/page.ts'
import { addAssetRoutes, loadAssets, addPage, createPageSender, type PageSender } from './pages/serve-page.ts'
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
import { createDeviceCookies } from './security/device-cookie.ts'
import type { WebOptions, WebPorts } from './ports.ts'
import { WebError } from './web-error.ts'

export interface Web {
  /** Adds the routes of the pages. Register it without a prefix. */
  readonly plugin: FastifyPluginAsync
  readonly site: Site
  /**
   * Ends the thread that reads and searches documents and the process that renders them, and waits
   * a few seconds for mails in transit.
   */
  close(): Promise<void>
}

/** Lets other packages send pages in the same layout. */
export interface Site {
  /** Security headers of every page. */
  readonly headers: Readonly<Record<string, string>>
  /** Renders a page. `body` is trusted HTML and is not escaped. */
  write(title: string, body: string): Promise<string>
  /** Sends the error page for an unknown path. */
  refusePath(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
}

const MINUTE_MS = 60_000
/** Pages for one network: enough for an office behind one IP address. */
const PAGES_A_MINUTE = 600
/** Searches for the visitors of one network, or for an account that is not charged for them. */
const SEARCHES_A_MINUTE = 60
const MAX_FORM_BYTES = 16_384
/** Maximum bytes of packs held in memory for slow downloads. */
const MAX_DOWNLOADS = 256 * 1024 * 1024

/**
 * Creates the pages `/`, `/browse` and `/settings`. They are rendered on the server and work
 * without JavaScript.
 *
 * @throws CatalogError if the database is unreachable
 * @example
 * const web = await createWeb({ catalog, quota, mode, now, log }, { baseUrl: 'https://packs.example' })
 * await app.register(web.plugin)
 */
export async function createWeb(ports: WebPorts, options: WebOptions): Promise<Web> {
  const { paths, files } = await loadAssets()
  const { database } = ports.catalog
  const passwords = createPasswords()
  const auth = await createAuth(ports, options, database, passwords)
  const devices = createDeviceCookies(await ports.catalog.settings.secret('sign-in'), options.baseUrl)
  const signIn = createSignIn(auth, ports, devices, passwords)
  const renderer = createRenderer()
  const reader = ports.reader ?? createReader(ports.catalog)
  const documents = createDocumentReader(reader.visitors.documents)
  const search = createPackSearch(ports.catalog, reader.visitors.sections)
  const freeSearches = createRateLimiter({ limit: SEARCHES_A_MINUTE, windowMs: MINUTE_MS })
  const downloads = createByteBudget(MAX_DOWNLOADS)
  const pages = createPageSender(paths, async (request, reply) => {
    const session = await signIn.findSession(readClientHeaders(request))
    if (session !== undefined && session.cookies.length > 0) reply.header('set-cookie', [...session.cookies])
    const signInPath = session === undefined ? findSignInPath(request) : undefined
    return { mode: ports.mode.current(), account: session?.account, signInPath }
  })
  const limits = createLimits(database)
  const mails = options.mail && createAccountMails(ports, options.mail, { limits, baseUrl: options.baseUrl })
  return {
    site: {
      headers: securityHeaders,
      async write(title, body) {
        const main = html`<div class="document">${trustMarkup(body)}</div>`
        return renderPage({ title, main, section: 'docs' }, paths)
      },
      refusePath: (request, reply) =>
        sendErrorPage(pageNotFoundError(), request, reply.headers(securityHeaders), ports, pages),
    },
    async plugin(app) {
      addSharedHooks(app, ports, options, pages)
      addAssetRoutes(app, files)
      addPage(app, '/', async (request, reply) => {
        const viewer = await pages.findViewer(request, reply)
        return pages.send(reply, { title: 'Knowledge packs', viewer, main: renderHome(options.baseUrl) })
      })
      addLlmsRoute(app, ports, options.baseUrl)
      addBrowseRoutes(app, { ports, renderer, search, freeSearches, documents, downloads, pages })
      const dependencies = {
        ports,
        pages,
        auth,
        passwords,
        signIn,
        limits,
        mails,
        flashMessages: createFlashMessages(options.baseUrl),
      }
      addSignInRoutes(app, dependencies)
      addCodeRoutes(app, dependencies)
      addVerifyRoutes(app, dependencies)
      addSettingsRoutes(app, dependencies)
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

/**
 * Adds what all pages share: form parsing, security headers, the origin check, the page limit and
 * error pages.
 */
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
    if (request.url.startsWith('/assets/')) return
    reply.header('vary', 'Cookie')
    const wait = visits.take(clientNetwork(request.ip), ports.now())
    if (wait === 0) return
    const hint = `Wait ${wait} seconds. Programs should use the API.`
    throw new WebError('too_many_pages', 'You opened too many pages within a minute', hint, {
      retryAfter: wait,
    })
  })
  // An error in an earlier hook occurs before the security headers are set.
  app.setErrorHandler((error, request, reply) =>
    sendErrorPage(error, request, reply.headers(securityHeaders), ports, pages),
  )
}

/** A sign-in that starts on a catalog page leads back to it. */
function findSignInPath({ url }: FastifyRequest): string {
  return formatSignInPath(url.startsWith('/browse') ? readReturnPath(url, '/settings') : '/settings')
}

function pageNotFoundError(): WebError {
  const hint = 'Check the URL, or start from the list of packs or the documentation.'
  return new WebError('page_not_found', 'There is no such page', hint)
}
