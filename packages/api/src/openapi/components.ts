import type { ApiErrorCode } from '../errors/api-error.ts'
import { problemTable } from '../errors/problem-table.ts'

/** A JSON value of the document. */
export type Json = Readonly<Record<string, unknown>>

/** Refusals that look the same wherever they come, by the name that the document has for them. */
const sharedResponses: Readonly<Record<string, readonly ApiErrorCode[]>> = {
  BadRequest: ['invalid_parameter', 'invalid_path', 'unexpected_body', 'invalid_request'],
  Unauthorized: ['missing_api_key', 'invalid_api_key'],
  NotFound: ['not_found'],
  MethodNotAllowed: ['method_not_allowed'],
  RequestTimeout: ['request_timeout'],
  ExpectationFailed: ['expectation_failed'],
  TooManyRequests: ['quota_exceeded', 'too_many_failed_keys'],
  HeadersTooLarge: ['headers_too_large'],
  InternalError: ['internal_error'],
  Unavailable: ['recovery_mode', 'service_unavailable'],
}

/** The shared refusals, for `components/responses`. */
export function describeSharedResponses(): Json {
  return Object.fromEntries(
    Object.entries(sharedResponses).map(([name, codes]) => [name, describeErrorResponse(codes)]),
  )
}

/** Refusals of requests that no path was looked for with. */
export function describeTransportErrors(): Json {
  return referenceResponses([
    'BadRequest',
    'MethodNotAllowed',
    'RequestTimeout',
    'ExpectationFailed',
    'HeadersTooLarge',
  ])
}

/** The refusals of a path: those that all paths have, and its own, which may have a status of the others. */
export function describeErrorResponses(own: readonly ApiErrorCode[]): Json {
  const general = referenceResponses(Object.keys(sharedResponses).filter((name) => name !== 'NotFound'))
  const special = [...Map.groupBy(own, (code) => problemTable[code].status)].map(([status, codes]) => [
    String(status),
    describeErrorResponse(codes),
  ])
  return { ...general, ...(Object.fromEntries(special) as Json) }
}

/** The header fields of every answer below `/api`. */
export const commonHeaders: readonly HeaderName[] = ['x-request-id', 'access-control-allow-origin']

/** Points to header fields that the document describes once. */
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

/** Header fields of answers, as the documentation names them. */
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

/** What each field looks like. */
export const headerSchemas: Readonly<Record<HeaderName, HeaderSchema>> = {
  'access-control-allow-origin': describe('Any origin may ask', { const: '*' }),
  allow: describe('Methods of the path', { const: 'GET, HEAD' }),
  'cache-control': describe('Who may keep the answer, and how long', {
    type: 'string',
    pattern: '^(private|no-store)',
  }),
  'content-digest': describe('SHA-256 of the bytes sent (RFC 9530)', {
    type: 'string',
    pattern: '^sha-256=:[A-Za-z0-9+/]{43}=:$',
  }),
  etag: describe('Names the body, for If-None-Match', {
    type: 'string',
    pattern: '^(W/)?"[\\x21\\x23-\\x7e]+"$',
  }),
  link: describe('Other pages (RFC 8288)', { type: 'string', pattern: '^</api/v1/[^>]+>; rel="[a-z]+"' }),
  ratelimit: describe('Requests left (r) and seconds to 00:00 UTC (t)', {
    type: 'string',
    pattern: '^"daily";r=[0-9]+;t=[0-9]+$',
  }),
  'ratelimit-policy': describe('Requests (q) in a window (w, seconds)', {
    type: 'string',
    pattern: '^"daily";q=[0-9]+;w=86400$',
  }),
  'retry-after': describe('Seconds to wait', { type: 'string', pattern: '^[0-9]+$' }),
  vary: describe('What the answer depends on', { const: 'x-api-key, Accept, Accept-Encoding' }),
  'www-authenticate': describe('How to authenticate', { const: 'ApiKey' }),
  'x-request-id': describe('Names the request, for questions about it', { type: 'string', format: 'uuid' }),
  'x-yanked': describe(
    'The version was withdrawn; the list of versions says why. Absent for others',
    { const: 'true' },
    false,
  ),
}

interface ErrorHeaders {
  readonly always?: readonly HeaderName[]
  /** Absent where the request was refused before its key was looked at. */
  readonly authenticated?: readonly HeaderName[]
}

/** Fields of refusals with a status, besides those that all refusals have. */
export const errorHeaders: Readonly<Record<number, ErrorHeaders>> = {
  400: { authenticated: ['vary', 'ratelimit', 'ratelimit-policy'] },
  401: { always: ['vary', 'www-authenticate'] },
  403: { always: ['vary', 'ratelimit', 'ratelimit-policy'] },
  404: { always: ['vary', 'ratelimit', 'ratelimit-policy'] },
  405: { always: ['allow'], authenticated: ['vary', 'ratelimit', 'ratelimit-policy'] },
  429: { always: ['vary', 'retry-after'], authenticated: ['ratelimit', 'ratelimit-policy'] },
  503: { always: ['retry-after'] },
}

function describe(description: string, schema: HeaderSchema['schema'], required = true): HeaderSchema {
  return { description, required, schema }
}
