import { readClientAddress } from '@packs/catalog'
import type { FastifyRequest } from 'fastify'

/** Header fields that scripts of other origins may read. */
const EXPOSED =
  'ETag, Link, Content-Digest, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, Allow, X-Request-Id, X-Yanked'

/** Of all responses below `/api`, for all origins: keys are sent explicitly, cookies ignored. */
export const corsHeaders: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED,
}

export const preflightHeaders: Readonly<Record<string, string>> = {
  'access-control-allow-methods': 'GET, HEAD',
  'access-control-allow-headers': 'x-api-key, accept, if-match, if-none-match',
  'access-control-max-age': '7200',
}

/** `Vary` of every response below `/api/v1`. */
export const VARY = 'x-api-key, Accept, Accept-Encoding'

export const JSON_TYPE = 'application/json; charset=utf-8'
export const MARKDOWN_TYPE = 'text/markdown; charset=utf-8'
export const NDJSON_TYPE = 'application/x-ndjson; charset=utf-8'

export const REVALIDATE = 'private, no-cache'
export const IMMUTABLE = 'private, max-age=31536000, immutable'

/** Addresses of `X-Forwarded-For` from the right, up to the first entry that is none. */
export function readForwarded(header: string): string | undefined {
  const addresses: string[] = []
  for (const text of header.split(',').toReversed()) {
    const address = readClientAddress(text)
    if (address === undefined) break
    addresses.unshift(address)
  }
  return addresses.length === 0 ? undefined : addresses.join(', ')
}

export type Encoding = 'identity' | 'br' | 'gzip' | 'zstd'

/** Supported codings besides `identity`, smallest output first. */
const ENCODINGS = ['br', 'zstd', 'gzip'] as const

/** Chooses a coding by `Accept-Encoding`: highest quality first, then smallest output. */
export function chooseEncoding(header: string | undefined): Encoding {
  if (header === undefined || header === '') return 'identity'
  const weights = parseQualities(header)
  let [best, bestWeight]: [Encoding, number] = ['identity', 0]
  for (const encoding of ENCODINGS) {
    const weight = weights.get(encoding) ?? weights.get('*') ?? 0
    if (weight > bestWeight) [best, bestWeight] = [encoding, weight]
  }
  return (weights.get('identity') ?? 0) > bestWeight ? 'identity' : best
}

/** Returns whether `Accept` names a media type with at least the quality of JSON. */
export function prefersType(accept: string | undefined, type: string): boolean {
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return false
  const weights = parseQualities(accept)
  const weight = weights.get(type) ?? 0
  const json = weights.get('application/json') ?? weights.get('application/*') ?? weights.get('*/*') ?? 0
  return weight > 0 && weight >= json
}

/** Parses at most 50 names. An unreadable quality counts as 1. */
function parseQualities(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  for (const part of header.toLowerCase().split(',', 50)) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    const weight = quality === undefined ? 1 : Number(quality.slice(2))
    if (name !== '') weights.set(name, Number.isNaN(weight) ? 1 : Math.min(Math.max(weight, 0), 1))
  }
  return weights
}

/**
 * Returns the id that a trusted proxy gave a request, if it needs no escaping in a log line. A
 * client may not choose one: two requests with the same id would look like one.
 */
export function readRequestId({ headers, ips = [] }: FastifyRequest): string | undefined {
  const { 'x-request-id': id } = headers
  // The last of them is the peer; there are others only if it is trusted.
  return typeof id === 'string' && /^[\w.:-]{1,100}$/.test(id) && ips.length > 1 ? id : undefined
}

/** Returns the trace of a request (W3C Trace Context, section 3.2), from any client. */
export function readTraceId({ headers: { traceparent } }: FastifyRequest): string | undefined {
  const [, version, id, parent] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(?:$|-)/.exec(String(traceparent)) ?? []
  const isValid = version !== 'ff' && !/^0*$/.test(id ?? '') && !/^0*$/.test(parent ?? '')
  return isValid ? id : undefined
}
