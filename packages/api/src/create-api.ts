import { createByteBudget, createPackSearch, createRateLimiter, createReader } from '@packs/catalog'
import type { FastifyInstance } from 'fastify'
import { createAuthenticateHook, createKeyCheck } from './hooks/authenticate.ts'
import { createRequestQuota } from './hooks/quota.ts'
import { createServer } from './http/create-server.ts'
import { mountDocs } from './openapi/mount-docs.ts'
import { createStandaloneLayout } from './openapi/pages.ts'
import { FREE_REQUESTS, resolveOptions, type ApiOptions, type ApiPorts } from './ports.ts'
import { createPackFinder, createSequenceReader } from './response-cache/cached-catalog.ts'
import { createBodyCache } from './response-cache/create-body-cache.ts'
import { createTagWriter } from './response-cache/etag.ts'
import { createApiRoutes, mountRoutes } from './routes/mount-routes.ts'
import { createDocumentReader } from './routes/project-documents.ts'
import { mountKeys } from './routes/mount-keys.ts'
import { mountStatus } from './routes/mount-status.ts'
import { createPromptThread } from './prompts/create-prompt-thread.ts'

/** Bytes of large packs that slow clients may keep in memory. */
const MAX_LARGE_BODIES = 256 * 1024 * 1024

/**
 * Creates the server of the API: `/api/v1`, `/api/status`, `/.well-known/packs-keys.json`, `/openapi.json` and `/docs`. Other pages can be registered before it
 * listens.
 *
 * @throws CatalogError if the catalog cannot be read
 * @example
 * const api = await createApi({ catalog, quota, mode, log })
 * await api.listen({ host: '127.0.0.1', port: 8080 })
 */
export async function createApi(ports: ApiPorts, options: ApiOptions = {}): Promise<FastifyInstance> {
  const resolved = resolveOptions(options)
  const { catalog, mode, log, now = () => new Date() } = ports
  const quota = createRequestQuota(ports.quota, ports.freeRequests ?? createRateLimiter(FREE_REQUESTS), now)
  const checkKey = ports.checkKey ?? createKeyCheck(ports, resolved.failedKeys)
  const authenticate = createAuthenticateHook(checkKey, quota)
  const cursorSecret = await catalog.settings.secret('cursor')
  const reader = ports.reader ?? createReader(catalog)
  const { documents, sections } = reader.accounts
  const prompts = createPromptThread(catalog)
  const routes = createApiRoutes({
    catalog,
    documents: createDocumentReader(documents),
    sections,
    packSearch: createPackSearch(catalog, sections),
    prompts,
    largeBodies: createByteBudget(MAX_LARGE_BODIES),
    log,
    quota,
    bodyCache: createBodyCache(resolved.cacheBytes),
    finder: createPackFinder(catalog),
    readSequence: createSequenceReader(catalog),
    writeTag: createTagWriter(cursorSecret),
    options: resolved,
    cursorSecret,
  })
  const app = createServer({ mode, log }, resolved)
  app.addHook('onClose', async () => {
    await Promise.all([reader.close(), prompts.close()])
  })
  mountStatus(app, mode)
  mountKeys(app, ports.readKeys ?? (() => Promise.resolve(undefined)))
  await mountDocs(app, routes, resolved.site ?? createStandaloneLayout())
  mountRoutes(app, { routes, authenticate, quota, log })
  return app
}
