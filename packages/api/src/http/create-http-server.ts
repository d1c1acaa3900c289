import { randomUUID } from 'node:crypto'
import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError, methodNotAllowedError, recoveryError } from '../errors/api-error.ts'
import { problemTable } from '../errors/problem-table.ts'
import { PROBLEM_TYPE, writeProblem } from '../errors/send-problem.ts'
import type { ApiPorts } from '../ports.ts'
import { MAX_HEADERS } from './check-message.ts'
import { corsHeaders } from './headers.ts'
import { toOriginForm } from './request-url.ts'

/** Milliseconds that a client has for its headers, for a whole request, and to read or say anything at all. */
const HEADERS_TIMEOUT = 10_000
const REQUEST_TIMEOUT = 15_000
const IDLE_TIMEOUT = 60_000
const KEEP_ALIVE_TIMEOUT = 65_000

/** Bytes of address and header fields together. */
export const MAX_HEADER_BYTES: number = 16 * 1024

/** Creates Node's server with bounds for all that clients send; what Node would answer itself comes to the handler or is refused. */
export function createHttpServer(mode: ApiPorts['mode'], handle: RequestListener): Server {
  const server = createServer(
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
  // Node leaves out what is above, so that one more tells.
  server.maxHeadersCount = MAX_HEADERS + 1
  server.setTimeout(IDLE_TIMEOUT)
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('connect', createConnectHandler(mode))
  return server
}

/** Milliseconds that a client has to read a refusal while it still sends; closed at once, it may never see it. */
const LINGER = 2000
/** What nearly every path has. */
const METHODS = ['GET', 'HEAD']

/** What Node says of bytes that it cannot read. */
interface ParserError extends Error {
  readonly code?: string
  readonly rawPacket?: Buffer
  readonly bytesParsed?: number
}

/**
 * Creates what answers bytes that are no request, headers without end and clients that are too slow, and closes their
 * connection. In recovery mode, what cannot be read counts as a request below `/api/v1`.
 */
export function createClientErrorHandler(mode: ApiPorts['mode']): (error: Error, socket: Duplex) => void {
  return (error, socket) => {
    // A client that sends on after its refusal has `LINGER`.
    if (socket.writableEnded) return
    if ((error as ParserError).code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const apiError = toClientError(error)
    const current = mode.current()
    const isRecovery = current.mode === 'recovery' && apiError.code !== 'request_timeout'
    respondAndClose(socket, isRecovery ? recoveryError(current) : apiError)
  }
}

/** Creates what refuses CONNECT, which Node gives to no route. */
export function createConnectHandler(
  mode: ApiPorts['mode'],
): (request: IncomingMessage, socket: Duplex) => void {
  return (_request, socket) => {
    // Node has let go of the connection, so that an answer before this one would stand still in the midst.
    if (findUnfinishedResponse(socket) !== undefined) return void socket.destroy()
    socket.on('error', () => socket.destroy())
    socket.resume()
    const current = mode.current()
    respondAndClose(
      socket,
      current.mode === 'recovery' ? recoveryError(current) : methodNotAllowedError('CONNECT', METHODS),
    )
  }
}

function toClientError(error: ParserError): ApiError {
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    return new ApiError('headers_too_large', 'Address and headers together are larger than 16 KiB')
  }
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ApiError('request_timeout', 'The request did not arrive in time')
  }
  const method = error.code === 'HPE_INVALID_METHOD' ? readMethod(error) : undefined
  if (method !== undefined) return methodNotAllowedError(method, METHODS)
  return new ApiError('invalid_request', 'What arrived is no HTTP request')
}

/** The method of a request line that is right but for it. */
function readMethod({ rawPacket, bytesParsed = 0 }: ParserError): string | undefined {
  if (rawPacket === undefined) return undefined
  const start = bytesParsed === 0 ? 0 : rawPacket.lastIndexOf('\n', bytesParsed - 1) + 1
  const line = rawPacket.toString('latin1', start, start + 16 * 1024)
  return /^([\w!#$%&'*+.^`|~-]{1,40}) [!-~]+ HTTP\/1\.[01]\r?\n/.exec(line)?.[1]
}

/** Answers once the requests before on the same connection are answered, and closes it. */
function respondAndClose(socket: Duplex, apiError: ApiError): void {
  const previous = findUnfinishedResponse(socket)
  // What is refused may be the end of a request that a route began to answer.
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

/** The answer that is being sent on a connection. */
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
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`
}
