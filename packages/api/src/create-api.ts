import { createByteBudget, createPackSearch } from '@packs/catalog'
import type { FastifyInstance } from 'fastify'
import { createAuthenticateHook } from './hooks/authenticate.ts'
import { createRequestQuota } from './hooks/caller.ts'
import { createServer } from './http/create-server.ts'
import { mountDocs, createStandaloneLayout } from './openapi/pages.ts'
import type { ApiOptions, ApiPorts } from './ports.ts'
import { createPackFinder } from './response-cache/pack-finder.ts'
import { createBodyCache } from './response-cache/body.ts'
import { createTagWriter } from './response-cache/etag.ts'
import { createApiRoutes, mountRoutes } from './routes/mount-routes.ts'
import { createDocumentReader } from './routes/project-documents.ts'
import { mountKeys, mountStatus } from './routes/mount-public.ts'

/** Size of the response cache, in bytes. */
const CACHE_BYTES = 64 * 1024 * 1024
/** Maximum bytes of large packs held in memory for slow clients. */
const MAX_LARGE_BODIES = 256 * 1024 * 1024

/**
 * Creates the API server: `/api/v1`, `/api/status`, `/.well-known/packs-keys.json`, `/openapi.json`
 * and `/docs`. More pages can be registered before it listens.
 *
 * @throws CatalogError if the catalog cannot be read
 * @example
 * const api = await createApi({ catalog, quota, mode, now, log, checkKey, freeRequests, reader, readKeys })
 * await api.listen({ host: '127.0.0.1', port: 8080 })
 */
export async function createApi(ports: ApiPorts, options: ApiOptions = {}): Promise<FastifyInstance> {
  const { trustProxy = [], origin = null, site = null } = options
  const { catalog, mode, log, reader } = ports
  const quota = createRequestQuota(ports.quota, ports.freeRequests, ports.now)
  const authenticate = createAuthenticateHook(ports.checkKey, quota)
  const cursorSecret = await catalog.settings.secret('cursor')
  const { documents, sections } = reader.accounts
  const routes = createApiRoutes({
    catalog,
    documents: createDocumentReader(documents),
    sections,
    packSearch: createPackSearch(catalog, sections),
    largeBodies: createByteBudget(MAX_LARGE_BODIES),
    log,
    quota,
    bodyCache: createBodyCache(CACHE_BYTES),
    finder: createPackFinder(catalog),
    readSequence: () => mode.sequence(),
    writeTag: createTagWriter(cursorSecret),
    cursorSecret,
  })
  const app = createServer({ mode, log }, { trustProxy, origin, site })
  app.addHook('onClose', () => reader.close())
  mountStatus(app, mode)
  mountKeys(app, ports.readKeys)
  mountDocs(app, routes, { layout: site ?? createStandaloneLayout(), origin, mode })
  mountRoutes(app, routes, authenticate, { quota, log })
  return app
}
