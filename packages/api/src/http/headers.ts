import { readClientAddress } from '@packs/catalog'

/** Header fields that scripts of other origins may read. */
const EXPOSED = [
  'ETag',
  'Link',
  'Content-Digest',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'Allow',
  'X-Request-Id',
  'X-Yanked',
]

/** Headers of every response below `/api`. All origins are allowed, because keys are sent explicitly and cookies are ignored. */
export const corsHeaders: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED.join(', '),
}

/** Additional headers of preflight responses. */
export const preflightHeaders: Readonly<Record<string, string>> = {
  'access-control-allow-methods': 'GET, HEAD',
  'access-control-allow-headers': 'x-api-key, accept, if-none-match',
  'access-control-max-age': '7200',
}

/** `Vary` of every response below `/api/v1`. */
export const VARY = 'x-api-key, Accept, Accept-Encoding'

export const JSON_TYPE = 'application/json; charset=utf-8'
export const MARKDOWN_TYPE = 'text/markdown; charset=utf-8'
export const NDJSON_TYPE = 'application/x-ndjson; charset=utf-8'

/** `Cache-Control`: private, revalidated on each use. */
export const REVALIDATE = 'private, no-cache'
/** `Cache-Control`: private, never changes. */
export const IMMUTABLE = 'private, max-age=31536000, immutable'

/**
 * Reads the addresses of `X-Forwarded-For` that can be trusted: from the right, up to the first text that is not an address.
 * Returns `undefined` if none is left.
 */
export function readForwarded(header: string): string | undefined {
  const addresses: string[] = []
  for (const text of header.split(',').toReversed()) {
    const address = readClientAddress(text)
    if (address === undefined) break
    addresses.unshift(address)
  }
  return addresses.length === 0 ? undefined : addresses.join(', ')
}
