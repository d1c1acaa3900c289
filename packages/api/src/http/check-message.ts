import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../errors/api-error.ts'

/** Maximum number of header fields in a request. */
export const MAX_HEADERS = 100

/** RFC 3986, `host [":" port]`; empty where the URL has no host. */
const HOST = /^(?:\[[0-9a-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d{0,5})?$/i

/** Returns the error of a request that Node accepts but that should not be served, or undefined. */
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
    return closingError('invalid_request', 'The header Host is missing or not valid')
  }
  if (countHostHeaders(rawHeaders) > 1)
    return closingError('invalid_request', 'The request has more than one header Host')
  if (expect === undefined || /^100-continue$/i.test(expect)) return undefined
  return closingError('expectation_failed', 'The only supported value of Expect is 100-continue')
}

/** Node's `headers` has the first one only. */
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

/** Returns whether the headers announce a body that is not empty. */
export function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0
}
