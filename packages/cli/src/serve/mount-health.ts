import type { Catalog } from '@packs/catalog'
import type { FastifyInstance } from 'fastify'

const PING_MS = 2000

/** Mounts `/livez`: the process runs; and `/readyz`: it can answer, which it cannot while it ends. */
export function mountHealth(app: FastifyInstance, catalog: Catalog, isEnding: () => boolean): void {
  app.get('/livez', (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'live' }))
  app.get('/readyz', async (_request, reply) => {
    const status = isEnding() ? 'ending' : (await canAnswer(catalog)) ? 'ready' : 'database away'
    return reply
      .code(status === 'ready' ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ status })
  })
}

async function canAnswer(catalog: Catalog): Promise<boolean> {
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
