import { findAccount } from '@packs/api'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'

/** Logs every answer: route, not address, as an address may hold what is nobody's business. */
export function logRequests(app: FastifyInstance, log: Logger): void {
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.is404 ? undefined : request.routeOptions.url
    const ms = Math.round(reply.elapsedTime * 100) / 100
    const { id, method } = request
    log.info(
      { request_id: id, method, route, status: reply.statusCode, ms, account: findAccount(request)?.id },
      'request',
    )
    done()
  })
}
