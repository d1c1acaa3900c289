import { createByteBudget, createPackSearch } from '@packs/catalog'
import { type FastifyInstance, fastify, type FastifyReply, type FastifyRequest } from 'fastify'
import { createAuthenticateHook, createRequestQuota } from './hooks/caller.ts'
import { mountDocs, createStandaloneLayout } from './openapi/pages.ts'
import type { ApiOptions, ApiPorts } from './ports.ts'
import {
  checkPreconditions,
  createPackFinder,
  createTagWriter,
  createBodyCache,
} from './response-cache/body.ts'
import { createApiRoutes, mountRoutes } from './routes/mount-routes.ts'
import { createDocumentReader } from './routes/pack-responses.ts'
import { mountKeys, mountPurged, mountStatus } from './routes/mount-public.ts'
import { fail } from 'node:assert'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import {
  ApiError,
  methodNotAllowedError,
  preconditionFailedError,
  recoveryError,
  sendProblem,
  toApiError,
  PROBLEM_TYPE,
  writeProblem,
} from './errors/api-error.ts'
import {
  findHostError,
  findMessageError,
  hasBody,
  isLoopbackAddress,
  MAX_HEADERS,
  isBelowApi,
  normalizeSegments,
  toRoutableUrl,
  toOriginForm,
} from './http/check-message.ts'
import { corsHeaders, preflightHeaders, prefersType, readForwarded, readRequestId } from './http/headers.ts'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { problemTable } from './errors/problem-table.ts'

// An import reads all exports, and the getter of one loads the client of `fetch`.
const http = process.getBuiltinModule('node:http')

/**
 * Creates the API server: `/api/v1`, `/api/status`, `/.well-known/packs-keys.json`, `/openapi.json`
 * and `/docs`. More pages can be registered before it listens.
 * @throws CatalogError if the catalog cannot be read
 */
export async function createApi(ports: ApiPorts, options: ApiOptions = {}): Promise<FastifyInstance> {
  const { trustProxy = [], origin = null, site = null } = options
  const { catalog, mode, log, reader } = ports
  const quota = createRequestQuota(ports.quota, ports.freeRequests, ports.now)
  const authenticate = createAuthenticateHook(ports.checkKey)
  const cursorSecret = await catalog.settings.secret('cursor')
  const { documents, sections } = reader.accounts
  const routes = createApiRoutes({
    catalog,
    documents: createDocumentReader(documents),
    sections,
    packSearch: createPackSearch(catalog, sections),
    largeBodies: createByteBudget((catalog.memory / 4) * 2 ** 20),
    log,
    quota,
    bodyCache: createBodyCache((catalog.memory / 32) * 2 ** 20),
    finder: createPackFinder(catalog),
    readSequence: () => mode.sequence(),
    writeTag: createTagWriter(cursorSecret),
    cursorSecret,
  })
  const app = createServer({ mode, log }, { trustProxy, origin, site })
  app.addHook('onClose', () => reader.close())
  mountStatus(app, mode)
  mountPurged(app, catalog, mode)
  mountKeys(app, ports.readKeys)
  mountDocs(app, routes, { layout: site ?? createStandaloneLayout(), origin, mode })
  mountRoutes(app, routes, authenticate, { quota, log })
  return app
}

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
    // Fastify loads compilers of schemas, which no route has.
    schemaController: { compilersFactory: { buildValidator: () => fail(), buildSerializer: () => fail() } },
  })
  const findMethods = trackMethods(app)
  app.decorateRequest('caller', null)
  app.decorateRequest('problem', null)
  const isLocal = (): boolean => {
    const address = app.server.address()
    return address !== null && typeof address !== 'string' && isLoopbackAddress(address.address)
  }
  // The router would answer an unknown method with 404.
  for (const method of http.METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)

  app.addHook('onRequest', (request, reply, done) => {
    if (trustProxy.length > 0) {
      correctForwarded(request)
      request.id = readRequestId(request) ?? request.id
    }
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    const isApi = isApiPath(request)
    if (isApi) reply.headers(corsHeaders)
    // Message errors are sent here, because the error handlers of pages and other packages do not know them.
    const messageError =
      findMessageError(request.raw) ??
      (origin !== null && isLocal() ? findHostError(request.headers.host, origin) : undefined)
    if (messageError?.code === 'misdirected_request') return void sendProblem(reply, messageError)
    const current = mode.current()
    if (isApi && current.mode === 'recovery' && isBelowApi(request.originalUrl))
      return done(recoveryError(current))
    if (messageError !== undefined) return void sendProblem(reply, messageError)
    const { origin: from, 'access-control-request-method': wanted } = request.headers
    const isPreflight = request.method === 'OPTIONS' && from !== undefined && wanted !== undefined
    if (!isApi || !isPreflight) return done()
    reply.code(204).headers(preflightHeaders).send()
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    // Otherwise Node waits for the rest of the body, and an error in it causes a second response.
    if (!request.raw.complete && hasBody(request)) reply.header('connection', 'close')
    done(null, applyPreconditions(reply, payload))
  })
  app.setErrorHandler((error, request, reply) => sendProblem(reply, toApiError(error, request, log)))
  app.setNotFoundHandler((request, reply) => {
    // The router decodes it in this way: `%2F` is not a slash.
    const methods = findMethods(decodeURI(request.url.split(/[?#]/, 1)[0] ?? ''))
    if (methods.length > 0) return sendProblem(reply, methodNotAllowedError(request.method, methods))
    reply.header('vary', 'Accept')
    const wantsPage = prefersType(request.headers.accept, 'text/html') && !isApiPath(request)
    if (site !== null && wantsPage) return site.refusePath(request, reply)
    return sendProblem(reply, new ApiError('not_found', 'This path does not exist'))
  })
  return app
}

/** Replaces a page or file by 304 or 412. The API does so before it reads or charges anything. */
function applyPreconditions(reply: FastifyReply, payload: unknown): unknown {
  const { request } = reply
  const { method, headers } = request
  if (headers['if-match'] === undefined && headers['if-none-match'] === undefined) return payload
  const isRead = METHODS.includes(method) && [200, 304].includes(reply.statusCode) && !isApiPath(request)
  if (!isRead || reply.getHeader('cache-control') === 'no-store') return payload
  const status = checkPreconditions(request, reply.getHeader('etag') as string | undefined)
  if (status === undefined || status === reply.statusCode) return payload
  for (const name of Object.keys(reply.getHeaders()))
    if (name.startsWith('content-')) reply.removeHeader(name)
  reply.code(status)
  if (status === 304) return null
  reply.headers({ 'cache-control': 'no-store', 'content-type': PROBLEM_TYPE }).removeHeader('etag')
  return writeProblem(preconditionFailedError(), request.originalUrl, request.id)
}

function correctForwarded({ raw: { headers } }: FastifyRequest): void {
  const header = headers['x-forwarded-for']
  if (header === undefined) return
  const forwarded = readForwarded(String(header))
  if (forwarded === undefined) delete headers['x-forwarded-for']
  else headers['x-forwarded-for'] = forwarded
}

function isApiPath({ originalUrl }: FastifyRequest): boolean {
  return originalUrl.startsWith('/api/') || normalizeSegments(originalUrl)[0] === 'api'
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
    const literal = url.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`)
    const pattern = new RegExp(`^${literal.replace(/:\w+/g, '[^/]+')}$`)
    const route = routes.get(url) ?? { pattern, methods: new Set() }
    routes.set(url, route)
    for (const name of [method].flat()) route.methods.add(name)
  })
  return (path) => {
    const found = [...routes.values()].filter(({ pattern }) => pattern.test(path))
    return [...new Set(found.flatMap(({ methods }) => [...methods]))].toSorted()
  }
}

/** Milliseconds until all headers, and the whole request, must have arrived. */
const HEADERS_TIMEOUT = 10_000
const REQUEST_TIMEOUT = 15_000
/** Milliseconds that a connection may be without traffic. */
const IDLE_TIMEOUT = 60_000
const KEEP_ALIVE_TIMEOUT = 65_000
/**
 * Milliseconds between an error response and closing the connection. Otherwise a client that is
 * still sending may miss the response.
 */
const LINGER = 2000
const METHODS = ['GET', 'HEAD']

/** Maximum bytes of the request line and header fields together. */
const MAX_HEADER_BYTES: number = 16 * 1024

/**
 * Creates Node's server with limits on requests. Requests that Node would answer itself reach the
 * handler or get a problem response.
 */
export function createHttpServer(mode: ApiPorts['mode'], handle: RequestListener): Server {
  const server = http.createServer(
    {
      headersTimeout: HEADERS_TIMEOUT,
      requestTimeout: REQUEST_TIMEOUT,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
      connectionsCheckingInterval: 1000,
      maxHeaderSize: MAX_HEADER_BYTES,
      requireHostHeader: false,
    },
    (request, response) => {
      request.url = toOriginForm(request.url ?? '/')
      handle(request, response)
    },
  )
  // Node drops the headers above this limit, so one more shows that there are too many.
  server.maxHeadersCount = MAX_HEADERS + 1
  server.setTimeout(IDLE_TIMEOUT)
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('connect', createConnectHandler(mode))
  spareUnsentResponses(server)
  return server
}

/**
 * Makes `closeIdleConnections`, which closing the server also calls, spare a response that is still
 * being written. Node closes its connection as soon as the program has ended the response, so a
 * slow client loses the rest. A connection is idle if it has had a request, all its responses are
 * written, and no byte of another request has arrived. One without any request is left to the
 * header timeout, as in Node.
 */
function spareUnsentResponses(server: Server): void {
  /** Unwritten responses of each connection. */
  const unsent = new Map<Socket, number>()
  /** Bytes that each idle connection had received when it became idle. */
  const idle = new Map<Socket, number>()
  server.on('connection', (socket) => socket.once('close', () => idle.delete(socket)))
  server.prependListener('request', ({ socket }, response) => {
    unsent.set(socket, (unsent.get(socket) ?? 0) + 1)
    idle.delete(socket)
    response.once('close', () => {
      const left = unsent.get(socket)! - 1
      if (left > 0) return void unsent.set(socket, left)
      unsent.delete(socket)
      if (!socket.destroyed) idle.set(socket, socket.bytesRead)
    })
  })
  server.closeIdleConnections = () => {
    for (const [socket, bytes] of idle) if (socket.bytesRead === bytes) socket.destroy()
  }
}

interface ParserError extends Error {
  readonly code?: string
  readonly rawPacket?: Buffer
  readonly bytesParsed?: number
}

/**
 * Sends a problem for unreadable requests, too many header bytes and timeouts, then closes. In
 * recovery mode, an unreadable request counts as one below `/api/v1`.
 */
function createClientErrorHandler(mode: ApiPorts['mode']): (error: Error, socket: Duplex) => void {
  return (error, socket) => {
    // An error response was sent, and the client has `LINGER` to read it.
    if (socket.writableEnded) return
    if ((error as ParserError).code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    const apiError = toClientError(error)
    const current = mode.current()
    const isRecovery = current.mode === 'recovery' && apiError.code !== 'request_timeout'
    respondAndClose(socket, isRecovery ? recoveryError(current) : apiError)
  }
}

/** Creates the handler that rejects CONNECT, which Node does not pass to any route. */
function createConnectHandler(mode: ApiPorts['mode']): (request: IncomingMessage, socket: Duplex) => void {
  return (_request, socket) => {
    // Node has detached the connection, so an earlier response would never finish.
    if (findUnfinishedResponse(socket) !== undefined) return void socket.destroy()
    socket.on('error', () => socket.destroy())
    socket.resume()
    const current = mode.current()
    const isRecovery = current.mode === 'recovery'
    respondAndClose(socket, isRecovery ? recoveryError(current) : methodNotAllowedError('CONNECT', METHODS))
  }
}

function toClientError(error: ParserError): ApiError {
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    return new ApiError('headers_too_large', 'The request line and headers together exceed 16 KiB')
  }
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ApiError('request_timeout', 'The request did not arrive in time')
  }
  const method = error.code === 'HPE_INVALID_METHOD' ? readMethod(error) : undefined
  if (method !== undefined) return methodNotAllowedError(method, METHODS)
  return new ApiError('invalid_request', 'The bytes received are not an HTTP request')
}

/** Returns the unknown method of an otherwise valid request line. */
function readMethod({ rawPacket, bytesParsed = 0 }: ParserError): string | undefined {
  if (rawPacket === undefined) return undefined
  const start = bytesParsed === 0 ? 0 : rawPacket.lastIndexOf('\n', bytesParsed - 1) + 1
  const line = rawPacket.toString('latin1', start, start + 16 * 1024)
  return /^([\w!#$%&'*+.^`|~-]{1,40}) [!-~]+ HTTP\/1\.[01]\r?\n/.exec(line)?.[1]
}

/** Sends an error after the responses to earlier requests on the connection, then closes it. */
function respondAndClose(socket: Duplex, apiError: ApiError): void {
  const previous = findUnfinishedResponse(socket)
  // The error may be in the rest of a request that a route is already answering.
  const isSameRequest = previous?.req.complete === false
  if (previous !== undefined && (!isSameRequest || previous.headersSent)) {
    previous.once('close', () => (isSameRequest ? socket.destroy() : respondAndClose(socket, apiError)))
    return
  }
  if (!socket.writable) return
  socket.end(formatResponse(apiError))
  const timer = setTimeout(() => socket.destroy(), LINGER)
  socket.once('close', () => clearTimeout(timer))
}

function findUnfinishedResponse(socket: Duplex): ServerResponse | undefined {
  const { _httpMessage: response } = socket as { readonly _httpMessage?: ServerResponse | null }
  return response?.writableFinished === false ? response : undefined
}

function formatResponse(error: ApiError): string {
  const { status } = problemTable[error.code]
  const id = randomUUID()
  const body = writeProblem(error, '/', id)
  const headers: Readonly<Record<string, string>> = {
    ...corsHeaders,
    ...error.extras.headers,
    'cache-control': 'no-store',
    'content-type': PROBLEM_TYPE,
    'content-length': String(Buffer.byteLength(body)),
    'x-content-type-options': 'nosniff',
    'x-request-id': id,
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`
}
