import { randomUUID } from 'node:crypto'
import { METHODS } from 'node:http'
import { fastify, type FastifyInstance, type FastifyRequest } from 'fastify'
import { ApiError, methodNotAllowedError, recoveryError } from '../errors/api-error.ts'
import { sendProblem, toApiError } from '../errors/send-problem.ts'
import type { ApiOptions, ApiPorts } from '../ports.ts'
import { findHostError, findMessageError, hasBody, isLoopbackAddress } from './check-message.ts'
import { createClientErrorHandler, createHttpServer, MAX_HEADER_BYTES } from './create-http-server.ts'
import { corsHeaders, preflightHeaders, readForwarded, prefersType } from './headers.ts'
import { isBelowApi, normalizeSegments, toRoutableUrl } from './request-url.ts'

const MAX_BODY_BYTES = 64 * 1024

/** Creates a server without routes, which limits requests and sends every error as a problem. */
export function createServer(
  { mode, log }: Pick<ApiPorts, 'mode' | 'log'>,
  { trustProxy, origin, site }: Required<ApiOptions>,
): FastifyInstance {
  const app = fastify({
    logger: false,
    trustProxy: trustProxy.length > 0 && [...trustProxy],
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    bodyLimit: MAX_BODY_BYTES,
    serverFactory: (handle) => createHttpServer(mode, handle),
    clientErrorHandler: createClientErrorHandler(mode),
    rewriteUrl: ({ url = '/' }) => toRoutableUrl(url),
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
  })
  const findMethods = trackMethods(app)
  app.decorateRequest('caller', null)
  const isLocal = (): boolean => {
    const address = app.server.address()
    return address !== null && typeof address !== 'string' && isLoopbackAddress(address.address)
  }
  // The router would answer an unknown method with 404.
  for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)

  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    if (trustProxy.length > 0) correctForwarded(request)
    const isApi = isApiPath(request)
    if (isApi) reply.headers(corsHeaders)
    // Message errors are sent here, because the error handlers of pages and other packages do not know them.
    const messageError =
      findMessageError(request.raw) ??
      (origin !== null && isLocal() ? findHostError(request.headers.host, origin) : undefined)
    if (messageError?.code === 'misdirected_request') return void sendProblem(request, reply, messageError)
    const current = mode.current()
    if (isApi && current.mode === 'recovery' && isBelowApi(request.originalUrl))
      return done(recoveryError(current))
    if (messageError !== undefined) return void sendProblem(request, reply, messageError)
    if (!isApi || !isPreflight(request)) return done()
    reply.code(204).headers(preflightHeaders).send()
  })
  app.addHook('onSend', (request, reply, _payload, done) => {
    // Otherwise Node waits for the rest of the body, and an error in it causes a second response.
    if (!request.raw.complete && hasBody(request)) reply.header('connection', 'close')
    done()
  })
  app.setErrorHandler((error, request, reply) => sendProblem(request, reply, toApiError(error, request, log)))
  app.setNotFoundHandler((request, reply) => {
    const methods = findMethods(readPath(request))
    if (methods.length > 0) return sendProblem(request, reply, methodNotAllowedError(request.method, methods))
    reply.header('vary', 'Accept')
    const wantsPage = prefersType(request.headers.accept, 'text/html') && !isApiPath(request)
    if (site !== null && wantsPage) return site.refusePath(request, reply)
    return sendProblem(request, reply, new ApiError('not_found', 'This path does not exist'))
  })
  return app
}

function correctForwarded({ raw: { headers } }: FastifyRequest): void {
  const header = headers['x-forwarded-for']
  if (header === undefined) return
  const forwarded = readForwarded(String(header))
  if (forwarded === undefined) delete headers['x-forwarded-for']
  else headers['x-forwarded-for'] = forwarded
}

/** Decodes the path as the router does: `%2F` is not a slash. */
function readPath({ url }: FastifyRequest): string {
  return decodeURI(url.split(/[?#]/, 1)[0] ?? '')
}

function isApiPath({ originalUrl }: FastifyRequest): boolean {
  return originalUrl.startsWith('/api/') || normalizeSegments(originalUrl)[0] === 'api'
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  )
}

/**
 * Records the routes of a server as they are added, except wildcard routes (`*`), which do not tell
 * which paths exist. Returns a function that lists the methods of a path in alphabetical order, or
 * none if the path does not exist.
 */
export function trackMethods(app: FastifyInstance): (path: string) => readonly string[] {
  const routes = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return
    const route = routes.get(url) ?? { pattern: writePattern(url), methods: new Set() }
    routes.set(url, route)
    for (const name of [method].flat()) route.methods.add(name)
  })
  return (path) => {
    const found = [...routes.values()].filter(({ pattern }) => pattern.test(path))
    return [...new Set(found.flatMap(({ methods }) => [...methods]))].toSorted()
  }
}

function writePattern(url: string): RegExp {
  const literal = url.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`)
  return new RegExp(`^${literal.replace(/:\w+/g, '[^/]+')}$`)
}
