import { CatalogError } from '@packs/catalog'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ReadinessCheck, ReadinessWatch } from './watch-readiness.ts'

/** `status` of `/readyz` while a check fails. */
const STATUS: Readonly<Record<ReadinessCheck, string>> = {
  database: 'database away',
  connections: 'no free connection to the database',
}

/** Pages that need the database. */
const NEEDS_DATABASE = /^\/(?:browse|settings)(?:\/|$)/

/**
 * Mounts `/livez` (the process runs) and `/readyz` (it can answer requests and is not shutting down). Both answer from memory.
 *
 * While the database does not answer, pages that need it are rejected at once. Otherwise they would wait until their
 * statements time out, and fill the memory. The API calls {@link createDatabaseCheck} itself, because its hooks run before this one.
 */
export function mountHealth(
  app: FastifyInstance,
  readiness: ReadinessWatch,
  isShuttingDown: () => boolean,
): void {
  const checkDatabase = createDatabaseCheck(readiness)
  app.get('/livez', (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'live' }))
  app.get('/readyz', (_request, reply) => {
    reply.header('cache-control', 'no-store')
    if (isShuttingDown()) return reply.code(503).send({ status: 'ending' })
    const failing = readiness.failing()
    const [first] = failing
    if (first === undefined) return reply.send({ status: 'ready' })
    return reply.code(503).send({ status: STATUS[first], failing })
  })
  app.addHook('onRequest', (request, _reply, done) => {
    if (needsDatabase(request)) checkDatabase()
    done()
  })
}

/** Creates a function that throws while the database does not answer. */
export function createDatabaseCheck(readiness: ReadinessWatch): () => void {
  return () => {
    if (readiness.failing().includes('database')) throw databaseAwayError()
  }
}

function needsDatabase({ routeOptions: { url } }: FastifyRequest): boolean {
  return url !== undefined && NEEDS_DATABASE.test(url)
}

function databaseAwayError(): CatalogError {
  const hint = 'Check that it runs and answers. Requests are accepted again as soon as it does.'
  return new CatalogError('catalog_unavailable', 'The database does not answer', hint)
}
