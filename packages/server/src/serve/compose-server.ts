import {
  chooseEncoding,
  compressBody,
  createApi,
  createFailedKeyCount,
  createKeyCheck,
  FREE_REQUESTS,
  findAccount,
  readTraceId,
} from '@packs/api'
import { createPackSearch, createRateLimiter, createReader, CatalogError } from '@packs/catalog'
import type { PublishServices } from '@packs/publisher'
import type { MailSettings } from '@packs/web'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Logger, symbols } from 'pino'
import type { Host } from '../host.ts'
import type { KeysReader } from '../services/read-keys.ts'
import type { ServerDependencies } from './open-server-dependencies.ts'
import { mountHealth, readHealth } from './listen.ts'
import { renderDependencyMetrics, type ReadinessWatch } from './metrics.ts'
import type { OperatorPageOptions } from './mount-operator-pages.ts'

export type { MailSettings }

export interface ServerOptions {
  readonly origin: string
  readonly trustProxy: readonly string[]
  readonly operatorToken: string
  readonly mail: MailSettings | undefined
  readonly contact: string | undefined
  readonly readKeys: KeysReader
  /** What publishes over HTTP use. */
  readonly services: PublishServices
  readonly toDiagnostic: Host['toDiagnostic']
  readonly log: Logger
  readonly isShuttingDown: () => boolean
  /** Of so many responses one is logged, besides failures. @default 1 */
  readonly logEvery?: number
  /** Whether the operator's pages are elsewhere. */
  readonly hasAdmin?: boolean
}

/** The server does not listen yet. */
export async function composeServer(
  dependencies: ServerDependencies,
  options: ServerOptions,
): Promise<FastifyInstance> {
  const { catalog, quota, mode, metrics, readiness } = dependencies
  const { origin, trustProxy, operatorToken, mail, contact, readKeys, log, isShuttingDown } = options
  const now = (): Date => new Date()
  const reader = createReader(catalog)
  const ports = { catalog, quota, mode, log, now, reader }
  const { createWeb } = await import('@packs/web')
  const web = await createWeb(ports, { baseUrl: origin, mail, contact })
  const checks = {
    countFailedKey: createFailedKeyCount(now),
    checkDatabase: (): void => checkDatabase(readiness),
  }
  const checkKey = createKeyCheck({ ...ports, ...checks })
  const freeRequests = createRateLimiter(FREE_REQUESTS)
  const apiPorts = { ...ports, checkKey, freeRequests, readKeys }
  const app = await createApi(apiPorts, { trustProxy, origin, site: web.site })
  app.addHook('onClose', () => web.close())
  app.addHook('onSend', (_request, reply, _payload, done) => {
    // The client must not send another request on a connection that is about to end.
    if (isShuttingDown()) reply.header('connection', 'close')
    done()
  })
  app.addHook('onSend', compressPage)
  metrics.instrument(app)
  logRequests(app, log, options.logEvery ?? 1)
  mountHealth(app, () => readHealth(readiness, isShuttingDown()))
  guardDatabase(app, readiness)
  const { sections } = reader.accounts
  const packSearch = createPackSearch(catalog, sections)
  const { mountMcp } = await import('../mcp/mount-mcp.ts')
  mountMcp(app, { ...ports, checkKey, freeRequests, sections, packSearch, origin })
  const { mountPublish } = await import('../publish-http/mount-publish.ts')
  mountPublish(app, { ...ports, ...checks, ...options })
  await app.register(web.plugin)
  if (options.hasAdmin !== true) {
    const { createOperatorAuthentication, mountOperatorPages } = await import('./mount-operator-pages.ts')
    const authenticate = createOperatorAuthentication(operatorToken, log)
    mountOperatorPages(app, { authenticate, ...describeServer(dependencies) })
  }
  return app
}

/** Returns what the operator's pages show of a server. */
export function describeServer({
  metrics,
  readiness,
  queue,
}: ServerDependencies): Omit<OperatorPageOptions, 'authenticate'> {
  const render = async (): Promise<string> => {
    const texts = await Promise.all([metrics.render(), renderDependencyMetrics(readiness.failing(), queue)])
    return texts.join('')
  }
  return { render }
}

const COMPRESSED = /^(?:text\/(?:html|css|javascript|plain)|image\/svg\+xml|application\/(?:xml|atom\+xml))\b/
/** Shorter responses fit into one packet anyway. */
const MIN_COMPRESSED = 1000

/**
 * Compresses pages, their assets and other texts; the API compresses its responses itself. Pages
 * below `/settings` are sent as they are, because they show secrets next to values that a request
 * contains, whose compressed length could tell them apart.
 */
async function compressPage(
  { url, headers, method }: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  const type = String(reply.getHeader('content-type') ?? '')
  if (!COMPRESSED.test(type) || reply.hasHeader('content-encoding') || url.startsWith('/settings'))
    return payload
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload
  const bytes = Buffer.from(payload)
  if (bytes.length < MIN_COMPRESSED) return payload
  const vary = String(reply.getHeader('vary') ?? '')
  if (!/accept-encoding/i.test(vary))
    reply.header('vary', vary === '' ? 'Accept-Encoding' : `${vary}, Accept-Encoding`)
  const encoding = chooseEncoding(headers['accept-encoding'])
  if (encoding === 'identity' || method === 'HEAD') return payload
  const compressed = await compressBody(bytes, encoding)
  const tag = reply.getHeader('etag')
  if (typeof tag === 'string' && !tag.startsWith('W/')) reply.header('etag', `W/${tag}`)
  reply.removeHeader('content-length').header('content-encoding', encoding)
  return compressed
}

/**
 * Logs every response with its route, not its URL, because a URL may contain private data. The
 * lines are written directly to pino's stream, because creating them with pino took a tenth of the
 * time of a request. No value needs JSON escaping: ids and methods are ASCII words, and each route
 * is escaped once.
 * @param every how many responses a line is written for; Infinity for failures alone
 */
function logRequests(app: FastifyInstance, log: Logger, every: number): void {
  if (!log.isLevelEnabled('info')) return
  let count = 0
  const { [symbols.streamSym]: stream, [symbols.chindingsSym]: bindings } = log as unknown as LogInternals
  const routes = new Map<string, string>()

  const describeRoute = (route: string | undefined): string => {
    if (route === undefined) return ''
    let text = routes.get(route)
    if (text === undefined) routes.set(route, (text = `,"route":${JSON.stringify(route)}`))
    return text
  }

  app.addHook('onResponse', (request, reply, done) => {
    // Failures are logged in any case.
    if (reply.statusCode < 500 && (count = (count + 1) % every) !== 0) return done()
    const time = new Date().toISOString()
    const route = describeRoute(request.is404 ? undefined : request.routeOptions.url)
    const account = findAccount(request)
    const trace = readTraceId(request)
    const accountField = account === undefined ? '' : `,"account":"${account.id}"`
    const traceField = trace === undefined ? '' : `,"trace_id":"${trace}"`
    const ms = Math.round(reply.elapsedTime * 100) / 100
    const fields = `"method":"${request.method}"${route},"status":${reply.statusCode},"ms":${ms}${accountField}${traceField}`
    stream.write(
      `{"level":30,"time":"${time}"${bindings},"request_id":"${request.id}",${fields},"msg":"request"}\n`,
    )
    done()
  })
}

interface LogInternals {
  readonly [symbols.streamSym]: { write(line: string): void }
  /** The fields that all lines share, as JSON that begins with a comma. */
  readonly [symbols.chindingsSym]: string
}

const NEEDS_DATABASE = /^\/(?:$|(?:browse|prompt|settings)(?:\/|$)|feed\.xml|llms\.txt|sitemap)/

/**
 * While the database does not respond, pages that need it are rejected at once: they would wait
 * until their statements time out, and fill up memory. The API calls {@link checkDatabase} itself,
 * because its hooks run before this one.
 */
function guardDatabase(app: FastifyInstance, readiness: ReadinessWatch): void {
  app.addHook('onRequest', ({ routeOptions: { url = '' } }, _reply, done) => {
    if (NEEDS_DATABASE.test(url)) checkDatabase(readiness)
    done()
  })
}

function checkDatabase(readiness: ReadinessWatch): void {
  if (!readiness.failing().includes('database')) return
  const hint = 'Check that it is running and reachable. Requests are accepted again as soon as it responds.'
  throw new CatalogError('catalog_unavailable', 'The database does not respond', hint)
}
