/** Header fields that a page of another origin may read. */
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

/** What every answer below `/api` says. Any origin may ask, as keys are sent by hand and no cookie counts. */
export const corsHeaders: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED.join(', '),
}

/** What answers to a preflight say besides. */
export const preflightHeaders: Readonly<Record<string, string>> = {
  'access-control-allow-methods': 'GET, HEAD',
  'access-control-allow-headers': 'x-api-key, accept, if-none-match',
  'access-control-max-age': '7200',
}

/** What every answer below `/api/v1` depends on. */
export const VARY = 'x-api-key, Accept, Accept-Encoding'

export const JSON_TYPE = 'application/json; charset=utf-8'
export const MARKDOWN_TYPE = 'text/markdown; charset=utf-8'
export const NDJSON_TYPE = 'application/x-ndjson; charset=utf-8'

/** To be asked again each time, by the caller alone. */
export const REVALIDATE = 'private, no-cache'
/** Never changes, so that it need not be asked for again. */
export const IMMUTABLE = 'private, max-age=31536000, immutable'
