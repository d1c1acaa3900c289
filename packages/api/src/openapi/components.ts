import { type ApiErrorCode, problemTable } from '../errors/problem-table.ts'

export type Json = Readonly<Record<string, unknown>>

/** Errors shared by all paths, by the name of their response component. */
const sharedResponses: Readonly<Record<string, readonly ApiErrorCode[]>> = {
  BadRequest: ['invalid_parameter', 'invalid_path', 'unexpected_body', 'invalid_request'],
  Unauthorized: ['missing_api_key', 'invalid_api_key'],
  NotFound: ['not_found'],
  MethodNotAllowed: ['method_not_allowed'],
  RequestTimeout: ['request_timeout'],
  ExpectationFailed: ['expectation_failed'],
  Misdirected: ['misdirected_request'],
  TooManyRequests: ['quota_exceeded', 'too_many_failed_keys', 'too_many_requests'],
  HeadersTooLarge: ['headers_too_large'],
  InternalError: ['internal_error'],
  Unavailable: ['recovery_mode', 'search_busy', 'service_unavailable'],
}

/** Describes the shared errors for `components/responses`. */
export function describeSharedResponses(): Json {
  return Object.fromEntries(
    Object.entries(sharedResponses).map(([name, codes]) => [name, describeErrorResponse(codes)]),
  )
}

/** Describes the errors that can occur before routing. */
export function describeTransportErrors(): Json {
  return referenceResponses([
    'BadRequest',
    'MethodNotAllowed',
    'RequestTimeout',
    'ExpectationFailed',
    'Misdirected',
    'HeadersTooLarge',
  ])
}

/**
 * Describes the errors of a path: the shared ones, and its own, which replace shared ones with the
 * same status.
 */
export function describeErrorResponses(own: readonly ApiErrorCode[]): Json {
  const general = referenceResponses(Object.keys(sharedResponses).filter((name) => name !== 'NotFound'))
  const special = [...Map.groupBy(own, (code) => problemTable[code].status)].map(([status, codes]) => [
    String(status),
    describeErrorResponse(codes),
  ])
  return { ...general, ...(Object.fromEntries(special) as Json) }
}

/** Header fields of every response below `/api`. */
export const commonHeaders: readonly HeaderName[] = ['x-request-id', 'access-control-allow-origin']

/** Refers to the header components, and copies the optional ones. */
export function referenceHeaders(names: readonly HeaderName[]): Json {
  const describe = (name: HeaderName): Json =>
    headerSchemas[name].required ? { $ref: `#/components/headers/${name}` } : { ...headerSchemas[name] }
  return Object.fromEntries(names.map((name) => [name, describe(name)]))
}

function referenceResponses(names: readonly string[]): Json {
  return Object.fromEntries(
    names.map((name) => [findStatus(sharedResponses[name]), { $ref: `#/components/responses/${name}` }]),
  )
}

function findStatus(codes: readonly ApiErrorCode[] = []): number {
  const [code] = codes
  return code === undefined ? 0 : problemTable[code].status
}

function describeErrorResponse(codes: readonly ApiErrorCode[]): Json {
  const status = findStatus(codes)
  const { always = [], authenticated = [] } = errorHeaders[status] ?? {}
  const optional = authenticated.map((name) => [name, { ...headerSchemas[name], required: false }])
  return {
    description: codes.map((code) => `\`${code}\`: ${problemTable[code].title}`).join('; '),
    headers: {
      ...referenceHeaders([...commonHeaders, 'cache-control', ...always]),
      ...Object.fromEntries(optional),
    },
    content: {
      'application/problem+json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Problem' },
            { properties: { code: { enum: codes }, status: { const: status } } },
          ],
        },
      },
    },
  }
}

export type HeaderName =
  | 'access-control-allow-origin'
  | 'allow'
  | 'cache-control'
  | 'content-digest'
  | 'etag'
  | 'link'
  | 'ratelimit'
  | 'ratelimit-policy'
  | 'retry-after'
  | 'vary'
  | 'www-authenticate'
  | 'x-request-id'
  | 'x-yanked'

interface HeaderSchema {
  readonly description: string
  readonly required: boolean
  readonly schema: Readonly<Record<string, unknown>>
}

export const headerSchemas: Readonly<Record<HeaderName, HeaderSchema>> = {
  'access-control-allow-origin': describe('All origins are allowed', { const: '*' }),
  allow: describe('Methods that the path accepts', { const: 'GET, HEAD' }),
  'cache-control': describe('Who may cache the response, and for how long', {
    type: 'string',
    pattern: '^(private|no-store)',
  }),
  'content-digest': describe('SHA-256 of the bytes sent (RFC 9530)', {
    type: 'string',
    pattern: '^sha-256=:[A-Za-z0-9+/]{43}=:$',
  }),
  etag: describe('Identifies the body, for If-None-Match', {
    type: 'string',
    pattern: '^(W/)?"[\\x21\\x23-\\x7e]+"$',
  }),
  link: describe('Other pages (RFC 8288)', { type: 'string', pattern: '^</api/v1/[^>]+>; rel="[a-z]+"' }),
  ratelimit: describe(
    'Remaining requests (r) and seconds until the window ends (t): of the quota until 00:00 UTC, or of `burst`',
    {
      type: 'string',
      pattern: '^"(daily|burst)";r=[0-9]+;t=[0-9]+$',
    },
  ),
  'ratelimit-policy': describe('Requests (q) per window (w, in seconds); `burst` limits uncharged requests', {
    type: 'string',
    pattern: '^"(daily|burst)";q=[0-9]+;w=(86400|60)$',
  }),
  'retry-after': describe('Seconds to wait', { type: 'string', pattern: '^[0-9]+$' }),
  vary: describe('Request headers that the response depends on', {
    const: 'x-api-key, Accept, Accept-Encoding',
  }),
  'www-authenticate': describe('How to authenticate', { const: 'ApiKey' }),
  'x-request-id': describe('Identifies the request, for support', { type: 'string', format: 'uuid' }),
  'x-yanked': describe(
    'Present if the version was yanked; the list of versions has the reason',
    { const: 'true' },
    false,
  ),
}

type ErrorHeaders = Partial<Record<'always' | 'authenticated', readonly HeaderName[]>>

/**
 * Header fields of errors by status, besides those of all errors. The `authenticated` ones are
 * absent until the key has been checked.
 */
const errorHeaders: Readonly<Record<number, ErrorHeaders>> = {
  400: { authenticated: ['vary', 'ratelimit', 'ratelimit-policy'] },
  401: { always: ['vary', 'www-authenticate'] },
  403: { always: ['vary', 'ratelimit', 'ratelimit-policy'] },
  404: { always: ['vary', 'ratelimit', 'ratelimit-policy'] },
  405: { always: ['allow'], authenticated: ['vary', 'ratelimit', 'ratelimit-policy'] },
  422: { always: ['vary', 'ratelimit', 'ratelimit-policy'] },
  429: { always: ['vary', 'retry-after'], authenticated: ['ratelimit', 'ratelimit-policy'] },
  503: { always: ['retry-after'] },
}

function describe(description: string, schema: HeaderSchema['schema'], required = true): HeaderSchema {
  return { description, required, schema }
}
