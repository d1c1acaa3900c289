import { createServer, type RequestListener, type Server } from 'node:http'
import type { ApiPorts } from '../ports.ts'
import { createConnectHandler } from './answer-client-error.ts'
import { MAX_HEADERS } from './find-message-fault.ts'
import { readTarget } from './read-target.ts'

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
      request.url = readTarget(request.url ?? '/')
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
