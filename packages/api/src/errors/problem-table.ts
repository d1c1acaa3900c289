/**
 * Every code with its status, the title of its responses, what it means and what to do, as
 * `docs/errors.md` and the page `/docs/errors/<code>` say it.
 */
export const problemTable = {
  invalid_parameter: {
    status: 400,
    title: 'A parameter is not valid',
    meaning:
      'A query parameter is unknown, empty, repeated or out of range. Values are never corrected or clamped, and the request is not charged.',
    remedy: 'Correct the parameters in `errors`, which lists every invalid one with the accepted values.',
  },
  invalid_path: {
    status: 400,
    title: 'The path cannot be read',
    meaning: 'The path has a percent-encoding that is not UTF-8, or is longer than any path of this API.',
    remedy:
      'Encode the path as UTF-8, for example with encodeURIComponent, and use the id or slug of a pack.',
  },
  invalid_request: {
    status: 400,
    title: 'The request cannot be read',
    meaning: 'The received bytes are not an HTTP request, or its parts contradict each other.',
    remedy: 'Send an HTTP/1.1 request. The usual cause is a proxy or a hand-written client.',
  },
  unexpected_body: {
    status: 400,
    title: 'The request has a body',
    meaning: 'Every request of this API is a GET or HEAD request, without a body.',
    remedy: 'Send parameters in the query, and no body.',
  },
  missing_api_key: {
    status: 401,
    title: 'The request has no API key',
    meaning: 'Every request below `/api/v1` needs a key in the header `x-api-key`, also for an unknown path.',
    remedy:
      'Send a key as `x-api-key`. You create keys on the Settings page, or the operator creates one for you.',
  },
  invalid_api_key: {
    status: 401,
    title: 'The API key is not valid',
    meaning:
      'The key is malformed, unknown, revoked or expired, or its account is disabled; the response does not tell which.',
    remedy:
      'Check that you copied the whole key: `kp_` and 36 letters and digits. Otherwise create a new one.',
  },
  foreign_origin: {
    status: 403,
    title: 'The request comes from a page of another site',
    meaning:
      'The header `Origin` names another site. At `/mcp` only programs and pages of this site may send requests.',
    remedy:
      'Call `/mcp` from a program that is no web page. The API below `/api/v1` accepts requests of any page.',
  },
  tier_required: {
    status: 403,
    title: 'Another tier is required',
    meaning:
      'The endpoint, or this section of a pack, needs the tier in `required_tier`. The request is not charged.',
    remedy: 'Get packs one by one, get a section with `in_preview`, or upgrade the account at `upgrade`.',
  },
  not_found: {
    status: 404,
    title: 'The path does not exist',
    meaning: 'No endpoint has this path.',
    remedy: 'See `/docs` for all paths; none ends with a slash.',
  },
  pack_not_found: {
    status: 404,
    title: 'The pack does not exist',
    meaning: 'No pack has this id or slug, or all its versions were yanked.',
    remedy: 'Search with `GET /api/v1/packs?search=…`; slugs are lower-case words with hyphens.',
  },
  version_not_found: {
    status: 404,
    title: 'The version does not exist',
    meaning: 'The pack exists, but not this version, or none in this range that is not yanked.',
    remedy: 'See `GET /api/v1/packs/{id}/versions`; a version has the form `major.minor.patch`.',
  },
  section_not_found: {
    status: 404,
    title: 'The section does not exist',
    meaning:
      'The version exists, but has no section with this id. `nearest` has the ids that are most like it, at most three.',
    remedy: 'See `GET /api/v1/packs/{id}/sections` for all ids of the version.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The method is not allowed',
    meaning: 'The API is read-only. Pages accept the methods in `Allow`.',
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
    title: 'The expectation is not supported',
    meaning: 'The header `Expect` has another value than `100-continue`.',
    remedy: 'Omit the header `Expect`.',
  },
  misdirected_request: {
    status: 421,
    title: 'The request is for another host',
    meaning:
      'The server listens on its own machine only, and the header `Host` names another one. A page of another site could read the server otherwise.',
    remedy:
      'Use `localhost`, `127.0.0.1`, `[::1]` or the host of `--base-url`. A proxy passes on one of them.',
  },
  over_budget: {
    status: 422,
    title: 'The prompt is over its budget',
    meaning:
      'The prompt of the packs takes more tokens than `budget`: `tokens`, of which `shares` has those of each pack. The request is charged.',
    remedy: 'Raise `budget`, name fewer packs, or send `fit=first` to get as many packs as fit.',
  },
  prompt_too_large: {
    status: 422,
    title: 'The prompt has too much text',
    meaning:
      'The sources of the packs are over 16 MiB together, or composing them took longer than 30 seconds. The request is charged.',
    remedy: 'Name fewer packs, or read sections of them.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    meaning: 'Request line and headers together are larger than 16 KiB, or there are more than 100 headers.',
    remedy: 'Send fewer or shorter headers. The usual cause is cookies.',
  },
  quota_exceeded: {
    status: 429,
    title: 'The daily quota is used up',
    meaning:
      'The account has used its quota for this UTC day, which all its keys share. While requests cannot be counted, a tenth of the quota is granted.',
    remedy:
      'Wait for `Retry-After` seconds, revalidate with `If-None-Match` (304 is free, 60 times a minute), or use bulk download as Pro.',
  },
  too_many_failed_keys: {
    status: 429,
    title: 'Too many failed keys',
    meaning: 'This address sent too many requests with invalid keys within a minute.',
    remedy: 'Wait for `Retry-After` seconds, and stop the client that sends the invalid key.',
  },
  too_many_requests: {
    status: 429,
    title: 'Too many requests that are not charged',
    meaning:
      'The account sent more than 60 requests within a minute that are not charged: refusals with 403 and, at `/mcp`, lists. Charged requests and `/usage` go on.',
    remedy: 'Wait for `Retry-After` seconds. The usual cause is a program that repeats a refused request.',
  },
  internal_error: {
    status: 500,
    title: 'The service failed',
    meaning: 'An error of the service itself. The request was charged at most once.',
    remedy: 'Try again. If it happens again, report the `request_id`.',
  },
  damaged_pack: {
    status: 500,
    title: 'The pack is damaged',
    meaning:
      'The rows of this pack in the database were changed by another program or by a failing disk. Other packs are not affected: lists and downloads leave it out and name it in `meta.damaged`.',
    remedy:
      'Use a cached copy or another version of the pack, and report its slug and version. The operator restores it from a backup.',
  },
  recovery_mode: {
    status: 503,
    title: 'The service is in recovery mode',
    meaning:
      'Every path below `/api/v1` returns this error until the service is online again; keys can be neither created nor used.',
    remedy:
      'Use your cached copies, or the preserved catalog at `/browse`. See `/api/status`, and wait for `Retry-After` seconds.',
  },
  service_unavailable: {
    status: 503,
    title: 'The service is not available now',
    meaning:
      'The database is unreachable or busy, or too many large packs or prompts are requested at the same time, by all accounts or by this one. It is not charged if there is no place for a prompt, else at most once.',
    remedy: 'Try again after `Retry-After` seconds.',
  },
} as const

export type ApiErrorCode = keyof typeof problemTable

export const problemCodes: readonly ApiErrorCode[] = Object.keys(problemTable) as ApiErrorCode[]
