import { createApi, createKeyCheck, FREE_REQUESTS } from '@packs/api'
import { createPackSearch, createRateLimiter, createReader } from '@packs/catalog'
import type { MailSettings } from '@packs/web'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { createIndexMetrics } from './index-metrics.ts'
import { logRequests } from './log-requests.ts'
import { createDatabaseCheck, mountHealth } from './mount-health.ts'
import type { KeysReader } from '../services/read-keys.ts'
import type { ServerDependencies } from './open-server-dependencies.ts'

export type { MailSettings }

/** Settings of {@link composeServer}. */
export interface ServerOptions {
  /** Scheme, host and port that clients use. */
  readonly origin: string
  readonly trustProxy: readonly string[]
  readonly operatorToken: string
  readonly mail: MailSettings | undefined
  readonly readKeys: KeysReader
  readonly log: Logger
  readonly isShuttingDown: () => boolean
}

/** Composes the server from the API, its documentation, `/mcp`, the pages, the health checks and the operator's pages; it does not listen yet. */
export async function composeServer(
  dependencies: ServerDependencies,
  options: ServerOptions,
): Promise<FastifyInstance> {
  const { catalog, quota, mode, metrics, readiness, queue } = dependencies
  const { origin, trustProxy, operatorToken, mail, readKeys, log, isShuttingDown } = options
  const now = (): Date => new Date()
  const reader = createReader(catalog)
  const ports = { catalog, quota, mode, log, now, reader }
  const { createWeb } = await import('@packs/web')
  const web = await createWeb(ports, { baseUrl: origin, mail })
  const checkKey = createKeyCheck({ ...ports, checkDatabase: createDatabaseCheck(readiness) })
  const freeRequests = createRateLimiter(FREE_REQUESTS)
  const app = await createApi(
    { ...ports, checkKey, freeRequests, readKeys },
    { trustProxy, origin, site: web.site },
  )
  app.addHook('onClose', () => web.close())
  app.addHook('onSend', (_request, reply, _payload, done) => {
    // The client must not send a further request on a connection that is about to end.
    if (isShuttingDown()) reply.header('connection', 'close')
    done()
  })
  metrics.instrument(app)
  logRequests(app, log)
  mountHealth(app, readiness, isShuttingDown)
  const { sections } = reader.accounts
  const packSearch = createPackSearch(catalog, sections)
  const { mountMcp } = await import('../mcp/mount-mcp.ts')
  mountMcp(app, { ...ports, checkKey, freeRequests, sections, packSearch, origin })
  await app.register(web.plugin)
  const { createOperatorAuthentication, mountOperatorPages } = await import('./mount-operator-pages.ts')
  mountOperatorPages(app, {
    authenticate: createOperatorAuthentication({ token: operatorToken, origin, now, log }),
    metrics,
    indexMetrics: createIndexMetrics(catalog),
    readiness,
    queue,
  })
  return app
}
