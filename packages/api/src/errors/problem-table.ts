import type { ApiErrorCode } from './api-error.ts'

/** How a code is answered and explained. */
export interface ProblemDefinition {
  readonly status: number
  /** The same in every answer with this code. */
  readonly title: string
  readonly meaning: string
  readonly remedy: string
}

/** Every code; exhaustive, so that a new one does not compile without its status and page. */
export const problemTable: Readonly<Record<ApiErrorCode, ProblemDefinition>> = {
  invalid_parameter: {
    status: 400,
    title: 'A parameter is not as it should be',
    meaning:
      'A query parameter is unknown, empty, given twice or out of bounds. Nothing is guessed or clamped, and the request is not charged.',
    remedy: 'Correct what `errors` names; it lists every parameter at fault with what it takes.',
  },
  invalid_path: {
    status: 400,
    title: 'The path cannot be read',
    meaning: 'The path holds a percent-encoding that is no UTF-8, or is longer than any address of this API.',
    remedy:
      'Encode the path as UTF-8, for instance with encodeURIComponent, and use the id or slug of a pack.',
  },
  invalid_request: {
    status: 400,
    title: 'The request cannot be read',
    meaning: 'What arrived is no HTTP request, or one whose parts contradict each other.',
    remedy: 'Send an HTTP/1.1 request; most often a proxy or a hand-written client is at fault.',
  },
  unexpected_body: {
    status: 400,
    title: 'The request has a body',
    meaning: 'Every request of this API is a GET or HEAD, which has no body.',
    remedy: 'Put parameters into the query and send no body.',
  },
  missing_api_key: {
    status: 401,
    title: 'The request has no API key',
    meaning:
      'Every request below `/api/v1` carries a key in the header `x-api-key`, also one of an unknown path.',
    remedy: 'Send the key as `x-api-key`. Keys are made on the Settings page, or by the operator.',
  },
  invalid_api_key: {
    status: 401,
    title: 'The API key is not valid',
    meaning: 'The key is malformed, unknown, revoked or expired; which of these is not told.',
    remedy: 'Check that the whole key was copied: `kp_` and 36 letters and digits. Else make a new one.',
  },
  tier_required: {
    status: 403,
    title: 'Another tier is required',
    meaning: 'The endpoint is open to the tier that `required_tier` names. The request is not charged.',
    remedy: 'Use packs one by one, or have the account raised: `upgrade` says where.',
  },
  not_found: {
    status: 404,
    title: 'There is nothing at this path',
    meaning: 'No endpoint has this path.',
    remedy: 'See `/docs` for all paths; none ends with a slash.',
  },
  pack_not_found: {
    status: 404,
    title: 'There is no such pack',
    meaning: 'No pack has this id or slug, or all its versions were withdrawn.',
    remedy: 'Search with `GET /api/v1/packs?search=…`; slugs are lower-case words with hyphens.',
  },
  version_not_found: {
    status: 404,
    title: 'The pack has no such version',
    meaning: 'The pack exists, the version does not.',
    remedy: 'See `GET /api/v1/packs/{id}/versions`; a version is three numbers with dots.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The method is not allowed',
    meaning: 'The API is read-only, and a page that takes forms says so in `Allow`.',
    remedy: 'Use one of the methods in `Allow`.',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    meaning: 'Headers or body did not arrive in time, and the connection was closed.',
    remedy: 'Send the request again.',
  },
  expectation_failed: {
    status: 417,
    title: 'The expectation cannot be met',
    meaning: 'The header `Expect` asks for something else than `100-continue`, which is all there is.',
    remedy: 'Leave `Expect` out.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    meaning: 'Address and headers together take more than 16 KiB, or the headers are more than 100.',
    remedy: 'Send fewer or shorter headers, most often cookies.',
  },
  quota_exceeded: {
    status: 429,
    title: 'The allowance of the day is spent',
    meaning:
      'The account has used its allowance for this UTC day, or the tenth of it that is granted while nothing counts; all its keys share it.',
    remedy:
      'Wait for `Retry-After` seconds, revalidate with `If-None-Match` (304 is free), or use bulk download as Pro.',
  },
  too_many_failed_keys: {
    status: 429,
    title: 'Too many failed keys',
    meaning: 'Too many requests with keys that are not valid came from this address within a minute.',
    remedy: 'Wait for `Retry-After` seconds, and stop the client that sends a wrong key.',
  },
  internal_error: {
    status: 500,
    title: 'The service failed',
    meaning: 'A fault of the service itself. The request is not charged, or was charged at most once.',
    remedy: 'Try again; report the `request_id` if it stays.',
  },
  recovery_mode: {
    status: 503,
    title: 'The service is in recovery mode',
    meaning:
      'Every path below `/api/v1` answers this until the service is online again; keys can neither be made nor used.',
    remedy:
      'Use what you have cached, or the preserved catalog at `/browse`; ask `/api/status`, and wait for `Retry-After` seconds.',
  },
  service_unavailable: {
    status: 503,
    title: 'The service cannot answer now',
    meaning: 'The database is away or busy. The request is not charged, or was charged at most once.',
    remedy: 'Try again after `Retry-After` seconds.',
  },
}

/** All codes, in the order of the table. */
export const problemCodes: readonly ApiErrorCode[] = Object.keys(problemTable) as ApiErrorCode[]
