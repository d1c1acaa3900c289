import type { IncomingMessage } from 'node:http'
import { readClientAddress } from '@packs/catalog'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../errors/api-error.ts'
import type { ApiErrorCode } from '../errors/problem-table.ts'

export const MAX_HEADERS = 100

/** RFC 3986, `host [":" port]`; empty if the URL has no host. */
const HOST = /^(?:\[[0-9a-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d{0,5})?$/i

/** Returns the error of a request that Node accepts but this server does not, or undefined. */
export function findMessageError(message: IncomingMessage): ApiError | undefined {
  const { headers, rawHeaders, httpVersion } = message
  if (rawHeaders.length > 2 * MAX_HEADERS) {
    return closingError('headers_too_large', `The request has more than ${MAX_HEADERS} header fields`)
  }
  const { host, expect } = headers
  // RFC 9112, section 3.2.
  if (host === undefined ? httpVersion !== '1.0' : !HOST.test(host)) {
    return closingError('invalid_request', 'The header Host is missing or invalid')
  }
  // Node's `headers` has only the first one.
  const isHost = (text: string, at: number): boolean => at % 2 === 0 && text.toLowerCase() === 'host'
  if (rawHeaders.filter(isHost).length > 1)
    return closingError('invalid_request', 'The request has more than one Host header')
  if (expect === undefined || /^100-continue$/i.test(expect)) return undefined
  return closingError('expectation_failed', 'The only supported value of Expect is 100-continue')
}

export function isLoopbackAddress(text: string): boolean {
  const address = readClientAddress(text) ?? ''
  return address === '::1' || address.startsWith('127.')
}

/**
 * Refuses another host than this machine or that of `origin`: a page on another site can make its
 * name resolve to this machine, but its requests keep that name.
 */
export function findHostError(host: string | undefined, origin: string): ApiError | undefined {
  if (host === undefined) return undefined
  const name = host.toLowerCase().replace(/:\d*$/, '')
  const isOwn = name === 'localhost' || name === new URL(origin).hostname || isLoopbackAddress(name)
  if (isOwn) return undefined
  const detail =
    'This server only answers requests for localhost, 127.0.0.1, [::1] and the host of its --base-url'
  return closingError('misdirected_request', detail)
}

function closingError(code: ApiErrorCode, detail: string): ApiError {
  return new ApiError(code, detail, { headers: { connection: 'close' } })
}

export function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0
}

/** The longest section id has 200 code points, which take twelve characters each. */
const MAX_PATH = 2800
const MAX_SEGMENT = 100

/**
 * In lower case, decoded twice, without empty and dot segments: the same for all URLs that any
 * server or proxy treats as the same path.
 */
export function normalizeSegments(url: string): string[] {
  let [path = ''] = url.split(/[?#]/, 1)
  path = path.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '')
  // Nested encodings are decoded twice at most, which bounds the cost of a long URL.
  for (let round = 0; round < 2; round++) {
    path = path.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
  }
  const segments: string[] = []
  for (const segment of path.toLowerCase().split(/[/\\]+/)) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return segments
}

/** Whether any server or proxy could treat a URL as one below `/api/v1`; true when in doubt. */
export function isBelowApi(url: string): boolean {
  const [first, second = ''] = normalizeSegments(url)
  return first === 'api' && /^v1(?![a-z0-9])/.test(second)
}

/**
 * Converts a request target in absolute form (RFC 9112, section 3.2.2) to origin form: path and
 * query. The host is ignored, as the header `Host` is.
 * @example
 * toOriginForm('http://packs.example.org/docs?x') // '/docs?x'
 */
export function toOriginForm(url: string): string {
  if (url.startsWith('/')) return url
  const [origin] = /^https?:\/\/[^/?#@]+(?=[/?#]|$)/i.exec(url) ?? []
  if (origin === undefined) return url
  const target = url.slice(origin.length)
  return target.startsWith('/') ? target : `/${target}`
}

/**
 * Cuts a malformed or overlong path at the first unreadable segment: the router would answer it
 * before any hook runs. Hooks recognize it, because it differs from the original URL.
 */
export function toRoutableUrl(url: string): string {
  const end = url.search(/[?#]/)
  const path = end < 0 ? url : url.slice(0, end)
  if (path.startsWith('/') && path.length <= MAX_PATH && isDecodable(path)) return url
  const readable: string[] = []
  for (const segment of path.split('/', 20).slice(1)) {
    if (segment.length > MAX_SEGMENT || !isDecodable(segment)) break
    readable.push(segment)
  }
  return `/${[...readable, 'unreadable'].join('/')}`
}

function isDecodable(text: string): boolean {
  if (!text.includes('%')) return true
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
