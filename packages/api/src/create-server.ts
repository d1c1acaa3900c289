import { randomUUID } from 'node:crypto'
import { METHODS } from 'node:http'
import { fastify, type FastifyInstance, type FastifyRequest } from 'fastify'
import { corsHeaders } from './access/api-headers.ts'
import { isBelowApi, refuseInRecovery } from './access/recovery.ts'
import type { ApiPorts, ResolvedOptions } from './ports.ts'
import { createClientErrorHandler } from './problem/answer-client-error.ts'
import { ApiError } from './problem/api-error.ts'
import { explainFailure, sendProblem } from './problem/send-problem.ts'
import { prefersType } from './request/negotiate.ts'
import { readSegments } from './request/read-segments.ts'
import { rewriteUrl } from './request/rewrite-url.ts'

/** Milliseconds that a client has for its headers, for a whole request, and to read or say anything at all. */
const HEADERS_TIMEOUT = 10_000
const REQUEST_TIMEOUT = 15_000
const IDLE_TIMEOUT = 60_000
const KEEP_ALIVE_TIMEOUT = 65_000

const MAX_HEADER_BYTES = 16 * 1024
const MAX_HEADERS = 100
const MAX_BODY_BYTES = 64 * 1024

/** Creates a server that answers every failure as a problem, has bounds for all that clients send, and no routes yet. */
export function createServer(
  { mode, log }: Pick<ApiPorts, 'mode' | 'log'>,
  { trustProxy, site }: Pick<ResolvedOptions, 'trustProxy' | 'site'>,
): FastifyInstance {
  const app = fastify({
    logger: false,
    trustProxy: trustProxy.length > 0 && [...trustProxy],
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    requestTimeout: REQUEST_TIMEOUT,
    connectionTimeout: IDLE_TIMEOUT,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    bodyLimit: MAX_BODY_BYTES,
    http: {
      headersTimeout: HEADERS_TIMEOUT,
      maxHeaderSize: MAX_HEADER_BYTES,
      connectionsCheckingInterval: 1000,
    },
    clientErrorHandler: createClientErrorHandler(mode),
    rewriteUrl: ({ url = '/' }) => rewriteUrl(url),
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
  })
  app.server.maxHeadersCount = MAX_HEADERS
  app.decorateRequest('caller', null)
  // A method that the router does not know would be an unknown path.
  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)

  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    const current = mode.current()
    if (current.mode !== 'recovery' || !isBelowApi(request.originalUrl)) return done()
    reply.headers(corsHeaders)
    done(refuseInRecovery(current))
  })
  app.setErrorHandler((error, request, reply) =>
    sendProblem(request, reply, explainFailure(error, request, log)),
  )
  app.setNotFoundHandler((request, reply) => {
    reply.header('vary', 'Accept')
    if (site !== null && isForPeople(request)) return site.refusePath(request, reply)
    return sendProblem(request, reply, new ApiError('not_found', 'There is nothing at this path'))
  })
  return app
}

/** Is a page asked for, outside of all that programs ask for. */
function isForPeople({ headers, originalUrl }: FastifyRequest): boolean {
  return prefersType(headers.accept, 'text/html') && readSegments(originalUrl)[0] !== 'api'
}
