import { findAccount } from '@packs/api'
import type { FastifyInstance } from 'fastify'
import { symbols, type Logger } from 'pino'

/**
 * Logs every answer: route, not address, as an address may hold what is nobody's business.
 *
 * The lines are pino's, written by hand into its stream: made by pino they were a tenth of what a request costs. Every value is one
 * that JSON takes as it is: ids and methods are ASCII words, routes are escaped once.
 */
export function logRequests(app: FastifyInstance, log: Logger): void {
  const { [symbols.streamSym]: stream, [symbols.chindingsSym]: bindings } = log as unknown as LogInternals
  const routes = new Map<string, string>()

  const describeRoute = (route: string | undefined): string => {
    if (route === undefined) return ''
    let text = routes.get(route)
    if (text === undefined) routes.set(route, (text = `,"route":${JSON.stringify(route)}`))
    return text
  }

  app.addHook('onResponse', (request, reply, done) => {
    const time = new Date().toISOString()
    const route = describeRoute(request.is404 ? undefined : request.routeOptions.url)
    const account = findAccount(request)
    const accountField = account === undefined ? '' : `,"account":"${account.id}"`
    const ms = Math.round(reply.elapsedTime * 100) / 100
    const fields = `"method":"${request.method}"${route},"status":${reply.statusCode},"ms":${ms}${accountField}`
    stream.write(
      `{"level":30,"time":"${time}"${bindings},"request_id":"${request.id}",${fields},"msg":"request"}\n`,
    )
    done()
  })
}

interface LogInternals {
  readonly [symbols.streamSym]: { write(line: string): void }
  /** The fields of every line, as JSON that begins with a comma. */
  readonly [symbols.chindingsSym]: string
}
