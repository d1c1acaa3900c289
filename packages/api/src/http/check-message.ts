import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../errors/api-error.ts'

/** Header fields that a request may have. */
export const MAX_HEADERS = 100

/** RFC 3986, `host [":" port]`, and nothing where the address names no host. */
const HOST = /^(?:\[[0-9a-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d{0,5})?$/i

/** Finds what makes a request one that nobody should answer, though Node reads it. */
export function findMessageError({
  headers,
  rawHeaders,
  httpVersion,
}: IncomingMessage): ApiError | undefined {
  if (rawHeaders.length > 2 * MAX_HEADERS) {
    return closingError('headers_too_large', `The request has more than ${MAX_HEADERS} header fields`)
  }
  const { host, expect } = headers
  // RFC 9112, section 3.2.
  if (host === undefined ? httpVersion !== '1.0' : !HOST.test(host)) {
    return closingError('invalid_request', 'The request does not say in Host which server it is for')
  }
  if (countHostHeaders(rawHeaders) > 1)
    return closingError('invalid_request', 'The request has more than one Host')
  if (expect === undefined || /^100-continue$/i.test(expect)) return undefined
  return closingError('expectation_failed', 'The server can meet no expectation but 100-continue')
}

/** Node keeps the first one alone. */
function countHostHeaders(rawHeaders: readonly string[]): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  return count
}

function closingError(
  code: 'headers_too_large' | 'invalid_request' | 'expectation_failed',
  detail: string,
): ApiError {
  return new ApiError(code, detail, { headers: { connection: 'close' } })
}

/** Does a request announce a body that is not empty. */
export function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0
}
