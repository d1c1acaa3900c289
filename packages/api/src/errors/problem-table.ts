/** Every code with what its page `/docs/errors/<code>` says. */
export const problemTable = {
  invalid_parameter: {
    status: 400,
    title: 'A parameter is invalid',
    meaning:
      'A query parameter is unknown, empty, repeated or out of range. Values are never corrected or clamped, and the request is not charged.',
    remedy: 'Correct the parameters listed in `errors`; each entry says which values are accepted.',
  },
  invalid_path: {
    status: 400,
    title: 'The path cannot be read',
    meaning: 'The path contains percent-encoding that is not UTF-8, or is longer than any path of this API.',
    remedy:
      'Encode the path as UTF-8, for example with encodeURIComponent, and use the id or slug of a pack.',
  },
  invalid_request: {
    status: 400,
    title: 'The request cannot be read',
    meaning: 'The bytes received are not an HTTP request, or parts of the request contradict each other.',
    remedy: 'Send an HTTP/1.1 request. The usual cause is a proxy or a hand-written client.',
  },
  unexpected_body: {
    status: 400,
    title: 'The request has a body',
    meaning: 'This API accepts only GET and HEAD requests, which have no body.',
    remedy: 'Send parameters in the query string, and no body.',
  },
  invalid_publish: {
    status: 400,
    title: 'The source cannot be published',
    meaning:
      '400: `errors` lists fields of the body, or `messages` the errors of the source. 409: the catalog refuses the version. 413: the source exceeds 16 MiB, or the body 32 MiB. 415: the body is not JSON in UTF-8, or compressed. `code` is `invalid_publish` for the body, and for the source the code of its failure: `bad_source`, `build_timeout` (400), `version_conflict`, `purged_source`, `parent_moved`, `job_superseded` (409) or a rarer one.',
    remedy: 'Correct the body or the source. `/publish/v1/openapi.json` describes the body.',
  },
  missing_api_key: {
    status: 401,
    title: 'The request has no API key',
    meaning:
      'Every request below `/api/v1` needs a key in the header `x-api-key`, even one for an unknown path.',
    remedy: 'Send a key in `x-api-key`. Create one on the Settings page, or ask the operator for one.',
  },
  invalid_api_key: {
    status: 401,
    title: 'The API key is invalid',
    meaning:
      'The key is malformed, unknown, revoked or expired, or its account is disabled; the response does not say which.',
    remedy:
      'Check that you copied the whole key: `kp_` and 36 letters and digits. If it still fails, create a new one.',
  },
  invalid_publish_token: {
    status: 401,
    title: 'The publish token is missing or invalid',
    meaning: 'The header `Authorization` has none, or one that is malformed, unknown, revoked or expired.',
    remedy: 'Send `Authorization: Bearer kpub_…`. The operator creates tokens with `pack tokens create`.',
  },
  token_forbidden: {
    status: 403,
    title: 'The token may not publish this pack',
    meaning: 'The publish token is for other slugs; `detail` says which.',
    remedy: 'Publish under such a slug, or ask the operator for another token.',
  },
  foreign_origin: {
    status: 403,
    title: 'The request comes from a page on another site',
    meaning:
      'The header `Origin` names another site. Only programs and pages on this site may send requests to `/mcp`.',
    remedy:
      'Call `/mcp` from a program instead of a web page. The API below `/api/v1` accepts requests from any page.',
  },
  tier_required: {
    status: 403,
    title: 'A higher tier is required',
    meaning:
      'This endpoint, or this section of a pack, needs the tier in `required_tier`. The request is not charged.',
    remedy:
      'Get packs one at a time, get a section that has `in_preview`, or upgrade the account: `upgrade` links to the tiers.',
  },
  not_found: {
    status: 404,
    title: 'The path does not exist',
    meaning: 'No endpoint has this path.',
    remedy: 'See `/docs` for all paths. None of them ends with a slash.',
  },
  pack_not_found: {
    status: 404,
    title: 'The pack does not exist',
    meaning:
      'No pack has this id or slug, or all of its versions were yanked. For a context, `nearest` lists up to three slugs of packs with similar titles.',
    remedy: 'Search with `GET /api/v1/packs?search=…`; slugs are lowercase words joined by hyphens.',
  },
  version_not_found: {
    status: 404,
    title: 'The version does not exist',
    meaning:
      'The pack exists, but it has no such version, or every version in the requested range was yanked.',
    remedy:
      'List the versions with `GET /api/v1/packs/{id}/versions`; a version has the form `major.minor.patch`.',
  },
  section_not_found: {
    status: 404,
    title: 'The section does not exist',
    meaning: 'The version exists, but has no section with this id. `nearest` lists up to three similar ids.',
    remedy: 'List all ids with `GET /api/v1/packs/{id}/sections`.',
  },
  purged_version: {
    status: 410,
    title: 'The text was purged',
    meaning:
      'The operator has erased this version, or all versions of the pack, for good: `version`, `purged_at` and `reason` say which, when and why. The request is charged like one for an unknown pack.',
    remedy:
      'Delete your copies, and use another version: `GET /api/v1/packs/{id}/versions` lists those that are left.',
  },
  method_not_allowed: {
    status: 405,
    title: 'The method is not allowed',
    meaning: 'The API is read-only: it accepts GET and HEAD. Pages accept the methods listed in `Allow`.',
    remedy: 'Use one of the methods listed in `Allow`.',
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    meaning: 'The headers or the body did not arrive in time, and the connection was closed.',
    remedy: 'Send the request again.',
  },
  precondition_failed: {
    status: 412,
    title: 'The response is another one than expected',
    meaning:
      'The header `If-Match` names an `ETag` that the response does not have, or a weak one. The request is not charged, up to 60 a minute.',
    remedy: 'Request it without `If-Match`, which a client that only reads does not need.',
  },
  expectation_failed: {
    status: 417,
    title: 'The expectation is not supported',
    meaning: 'The header `Expect` has a value other than `100-continue`.',
    remedy: 'Omit the header `Expect`.',
  },
  misdirected_request: {
    status: 421,
    title: 'The request is for another host',
    meaning:
      'The server listens only on its own machine, and the header `Host` names another one. Without this check, a page on another site could read from the server.',
    remedy:
      'Use `localhost`, `127.0.0.1`, `[::1]` or the host of `--base-url`. A proxy must send one of them.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    meaning: 'The request line and headers together exceed 16 KiB, or there are more than 100 headers.',
    remedy: 'Send fewer or shorter headers. The usual cause is cookies.',
  },
  quota_exceeded: {
    status: 429,
    title: 'The daily quota is used up',
    meaning:
      'The account has used its quota for this UTC day, which all its keys share. While requests cannot be counted, only a tenth of the quota is available.',
    remedy:
      'Wait `Retry-After` seconds, revalidate with `If-None-Match` (a 304 is free, up to 60 a minute), or use bulk download with a Pro account.',
  },
  too_many_failed_keys: {
    status: 429,
    title: 'Too many failed keys',
    meaning:
      'This IP address sent too many requests with invalid keys within a minute. Its valid keys still work.',
    remedy: 'Wait `Retry-After` seconds, and stop the client that sends the invalid key.',
  },
  too_many_requests: {
    status: 429,
    title: 'Too many uncharged requests',
    meaning:
      'The account sent more than 60 uncharged requests within a minute: requests refused with 403 and, at `/mcp`, lists. Charged requests and `/usage` still work.',
    remedy:
      'Wait `Retry-After` seconds. The usual cause is a program that keeps repeating a refused request.',
  },
  too_many_at_once: {
    status: 429,
    title: 'Too many requests at the same time',
    meaning:
      'The account has used up its places, while others have some: 8 searches or contexts, 16 reads of large packs, 16 pages of downloads, or a quarter of the bytes being sent. The request is not charged.',
    remedy: 'Try again after `Retry-After` seconds, with fewer requests at the same time.',
  },
  internal_error: {
    status: 500,
    title: 'The service failed',
    meaning: 'Something went wrong in the service itself. The request is not charged.',
    remedy: 'Try again. If it keeps failing, report the `request_id`.',
  },
  damaged_pack: {
    status: 500,
    title: 'The pack is damaged',
    meaning:
      'Another program or a failing disk changed the rows of this pack in the database. Other packs are not affected: lists and downloads omit it and name it in `meta.damaged`.',
    remedy:
      'Use a cached copy or another version of the pack, and report its slug and version. The operator can restore it from a backup.',
  },
  recovery_mode: {
    status: 503,
    title: 'The service is in recovery mode',
    meaning:
      'Every path below `/api/v1` returns this error until the service is online again; keys can be neither created nor used.',
    remedy:
      'Use your cached copies, or the preserved catalog at `/browse`. Check `/api/status`, and wait `Retry-After` seconds.',
  },
  search_busy: {
    status: 503,
    title: 'Too many searches',
    meaning:
      'More than 64 searches of all accounts are waiting, or a search took too long. The request is not charged.',
    remedy: 'Try again after `Retry-After` seconds.',
  },
  service_unavailable: {
    status: 503,
    title: 'The service is temporarily unavailable',
    meaning:
      'The database is unreachable or busy, or too many large packs are requested at the same time, by all accounts together. The request is not charged.',
    remedy: 'Try again after `Retry-After` seconds.',
  },
} as const

export type ApiErrorCode = keyof typeof problemTable

export const problemCodes: readonly ApiErrorCode[] = Object.keys(problemTable) as ApiErrorCode[]
