import { createApi } from '@packs/api'
import type { Catalog } from '@packs/catalog'
import { createWeb } from '@packs/web'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { logRequests } from './log-requests.ts'
import type { ServerDependencies } from './open-server-dependencies.ts'

/** Settings of {@link composeServer}. */
export interface ServerOptions {
  /** Scheme, host and port that clients use. */
  readonly origin: string
  readonly trustProxy: readonly string[]
  readonly operatorToken: string
  readonly log: Logger
  readonly isShuttingDown: () => boolean
}

/** Composes the server from the API, its documentation, the pages, the health checks and the operator's pages; it does not listen yet. */
export async function composeServer(
  dependencies: ServerDependencies,
  options: ServerOptions,
): Promise<FastifyInstance> {
  const { catalog, quota, mode, metrics, openQueue } = dependencies
  const { origin, trustProxy, operatorToken, log, isShuttingDown } = options
  const ports = { catalog, quota, mode, log, now: () => new Date() }
  const web = await createWeb(ports, { baseUrl: origin })
  const app = await createApi(ports, { trustProxy, site: web.site })
  app.addHook('onClose', () => web.close())
  metrics.instrument(app)
  logRequests(app, log)
  mountHealth(app, catalog, isShuttingDown)
  await app.register(web.plugin)
  const { createOperatorAuthentication, mountOperatorPages } = await import('./mount-operator-pages.ts')
  mountOperatorPages(app, {
    authenticate: createOperatorAuthentication(operatorToken, origin),
    metrics,
    openQueue,
  })
  return app
}

const PING_MS = 2000

/** Mounts `/livez` (the process runs) and `/readyz` (it reaches its database and is not shutting down). */
function mountHealth(app: FastifyInstance, catalog: Catalog, isShuttingDown: () => boolean): void {
  app.get('/livez', (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'live' }))
  app.get('/readyz', async (_request, reply) => {
    const status = isShuttingDown()
      ? 'ending'
      : (await isDatabaseReachable(catalog))
        ? 'ready'
        : 'database away'
    return reply
      .code(status === 'ready' ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ status })
  })
}

async function isDatabaseReachable(catalog: Catalog): Promise<boolean> {
  const timeout = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => timeout.resolve(false), PING_MS)
  const ping = catalog.ping().then(
    () => true,
    () => false,
  )
  const result = await Promise.race([ping, timeout.promise])
  clearTimeout(timer)
  return result
}
