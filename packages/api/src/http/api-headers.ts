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
