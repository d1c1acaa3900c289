import { z } from 'zod'
import { problemCodes, type ApiErrorCode, problemTable } from '../errors/problem-table.ts'
import type { ApiRoute } from '../routes/api-route.ts'
import { KEYS_PATH, keysSchema, purgedQuery, purgedSchema, statusSchema } from '../routes/mount-public.ts'
import { keysExample, purgedExample, statusExample, routeExamples } from './examples.ts'

type Json = Readonly<Record<string, unknown>>

/** Errors shared by all paths, by the name of their response component. */
const sharedResponses: Readonly<Record<string, readonly ApiErrorCode[]>> = {
  BadRequest: ['invalid_parameter', 'invalid_path', 'unexpected_body', 'invalid_request'],
  Unauthorized: ['missing_api_key', 'invalid_api_key'],
  NotFound: ['not_found'],
  MethodNotAllowed: ['method_not_allowed'],
  RequestTimeout: ['request_timeout'],
  ExpectationFailed: ['expectation_failed'],
  Misdirected: ['misdirected_request'],
  TooManyRequests: ['quota_exceeded', 'too_many_failed_keys', 'too_many_requests', 'too_many_at_once'],
  HeadersTooLarge: ['headers_too_large'],
  InternalError: ['internal_error'],
  Unavailable: ['recovery_mode', 'search_busy', 'service_unavailable'],
}

/** What can occur before routing. */
const TRANSPORT_ERRORS =
  'BadRequest MethodNotAllowed RequestTimeout ExpectationFailed Misdirected HeadersTooLarge'.split(' ')

/** The shared errors, and those of the path, which replace shared ones with the same status. */
function describeErrorResponses(own: readonly ApiErrorCode[]): Json {
  const general = referenceResponses(Object.keys(sharedResponses).filter((name) => name !== 'NotFound'))
  const special = [...Map.groupBy(own, (code) => problemTable[code].status)].map(([status, codes]) => [
    String(status),
    describeErrorResponse(codes),
  ])
  return { ...general, ...(Object.fromEntries(special) as Json) }
}

const commonHeaders: readonly HeaderName[] = ['x-request-id', 'access-control-allow-origin']

/** Refers to the header components, and copies the optional ones. */
function referenceHeaders(names: readonly HeaderName[]): Json {
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

interface HeaderSchema {
  readonly description: string
  readonly required: boolean
  readonly schema: Readonly<Record<string, unknown>>
}

const headerSchemas = {
  'access-control-allow-origin': describe('All origins are allowed', { const: '*' }),
  allow: describe('Methods that the path accepts', { const: 'GET, HEAD' }),
  'cache-control': describeText('Who may cache the response, and for how long', '^(private|no-store)'),
  'content-digest': describeText('SHA-256 of the bytes sent (RFC 9530)', '^sha-256=:[A-Za-z0-9+/]{43}=:$'),
  etag: describeText('Identifies the body, for If-None-Match', '^(W/)?"[\\x21\\x23-\\x7e]+"$'),
  link: describeText('Other pages (RFC 8288)', '^</api/v1/[^>]+>; rel="[a-z]+"'),
  ratelimit: describeText(
    'Remaining requests (r) and seconds until the window ends (t): of the quota until 00:00 UTC, or of `burst`',
    '^"(daily|burst)";r=[0-9]+;t=[0-9]+$',
  ),
  'ratelimit-policy': describeText(
    'Requests (q) per window (w, in seconds); `burst` limits uncharged requests',
    '^"(daily|burst)";q=[0-9]+;w=(86400|60)$',
  ),
  'retry-after': describeText('Seconds to wait', '^[0-9]+$'),
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
} satisfies Readonly<Record<string, HeaderSchema>>

type HeaderName = keyof typeof headerSchemas

type ErrorHeaders = Partial<Record<'always' | 'authenticated', readonly HeaderName[]>>

/** By status, besides those of all errors; `authenticated` ones need a checked key. */
const errorHeaders: Readonly<Record<number, ErrorHeaders>> = {
  400: { authenticated: ['vary', 'ratelimit', 'ratelimit-policy'] },
  401: { always: ['vary', 'www-authenticate'] },
  403: { always: ['vary', 'ratelimit', 'ratelimit-policy'] },
  404: { always: ['vary', 'ratelimit', 'ratelimit-policy'] },
  410: { always: ['vary', 'ratelimit', 'ratelimit-policy'] },
  405: { always: ['allow'], authenticated: ['vary', 'ratelimit', 'ratelimit-policy'] },
  422: { always: ['vary', 'ratelimit', 'ratelimit-policy'] },
  429: { always: ['vary', 'retry-after'], authenticated: ['ratelimit', 'ratelimit-policy'] },
  503: { always: ['retry-after'] },
}

function describe(description: string, schema: HeaderSchema['schema'], required = true): HeaderSchema {
  return { description, required, schema }
}

function describeText(description: string, pattern: string): HeaderSchema {
  return describe(description, { type: 'string', pattern })
}

const QUOTA_HEADERS: readonly HeaderName[] = ['ratelimit-policy', 'ratelimit']

/** Describes all paths, header fields, statuses and error codes as OpenAPI 3.1. */
export function createOpenApi(routes: readonly ApiRoute[], origin: string | null = null): Json {
  const paths = routes.map((route) => [
    `/api/v1${route.path.replace(/:(\w+)/g, '{$1}')}`,
    describePath(route),
  ])
  return {
    openapi: '3.1.0',
    info: {
      title: 'Knowledge pack catalog',
      version: '1.0.0',
      description:
        'List, search, read and download knowledge packs, whole or by section. A pack is text compressed for language models, with a header to decode it. Every request below /api/v1 needs a key in `x-api-key`. Free accounts have 10 requests per UTC day and get the beginning of each pack; Pro accounts have 1,000 requests and get whole packs. Errors are RFC 9457 problems with a stable `code`. Unknown paths return the shared response `NotFound`, and methods other than GET and HEAD return `MethodNotAllowed`.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: origin ?? '/' }],
    security: [{ apiKey: [] }],
    paths: {
      ...Object.fromEntries(paths),
      '/api/status': statusPath,
      '/api/purged': purgedPath,
      [KEYS_PATH]: keysPath,
    },
    components: {
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } },
      schemas: { Problem: problemSchema },
      responses: Object.fromEntries(
        Object.entries(sharedResponses).map(([name, codes]) => [name, describeErrorResponse(codes)]),
      ),
      headers: headerSchemas,
    },
  }
}

function describePath(route: ApiRoute): Json {
  const operation = (id: string): Json => ({
    operationId: id,
    summary: route.summary,
    description: route.description,
    parameters: [...listPathParameters(route), ...listQueryParameters(route)],
    responses: describeResponses(route, id),
  })
  return {
    get: operation(route.operationId),
    head: { ...operation(`${route.operationId}Head`), summary: `${route.summary}: header fields only` },
  }
}

function listPathParameters({ parameters = {} }: ApiRoute): Json[] {
  return Object.entries(parameters).map(([name, description]) => ({
    name,
    in: 'path',
    required: true,
    description,
    schema: { type: 'string' },
  }))
}

function listQueryParameters({ query }: Pick<ApiRoute, 'query'>): Json[] {
  return Object.entries(query).map(([name, parameter]) => {
    const { description, ...schema } = toSchema(parameter)
    const required = !parameter.safeParse(undefined).success
    return { name, in: 'query', required, description, schema }
  })
}

function describeResponses(route: ApiRoute, id: string): Json {
  const { answer, markdown } = routeExamples[id] ?? {}
  const examples: Json = { 'application/json': answer, 'text/markdown': markdown }
  const content = Object.entries(route.bodies).map(([type, schema]) => [
    type,
    { schema: toSchema(schema), ...(examples[type] !== undefined && { example: examples[type] }) },
  ])
  const headers = [...commonHeaders, ...QUOTA_HEADERS, 'vary', 'cache-control'] as const
  const kept = route.headers.filter((name) => name === 'etag' || name === 'x-yanked')
  // An empty path parameter is `not_found`.
  const ownCodes = Object.keys(route.parameters ?? {}).length > 0 ? (['not_found'] as const) : []
  return {
    200: {
      description: 'Success',
      headers: referenceHeaders([...headers, ...route.headers]),
      content: Object.fromEntries(content) as Json,
    },
    304: {
      description: 'The body named in `If-None-Match` is current; not charged',
      headers: referenceHeaders([...headers, ...kept]),
    },
    ...describeErrorResponses([...(route.errorCodes ?? []), 'precondition_failed', ...ownCodes]),
  }
}

function toSchema(schema: z.ZodType): Json {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io: 'output' })
  return json
}

/** Describes the response of a path that needs no key. */
function describeAnswer(schema: z.ZodType, example: object, headers: readonly HeaderName[] = []): Json {
  return {
    description: 'Success',
    headers: referenceHeaders([...commonHeaders, 'cache-control', ...headers]),
    content: { 'application/json': { schema: toSchema(schema), example } },
  }
}

const keysPath = describeOpenPath(
  'getKeys',
  'Get the public keys that sign packs',
  'Needs no API key and is available in recovery mode. Anyone who serves packs can serve keys too, so compare the id of a key with what its publisher says elsewhere.',
  {
    200: describeAnswer(keysSchema, keysExample, ['etag']),
    304: {
      description: 'The body named in `If-None-Match` is current',
      headers: referenceHeaders([...commonHeaders, 'cache-control', 'etag']),
    },
    ...describeErrorResponses(['not_found']),
  },
)

const statusPath = describeOpenPath(
  'getStatus',
  'Get the operating mode',
  'Needs no API key and is available in recovery mode.',
  { 200: describeAnswer(statusSchema, statusExample) },
)

const purgedPath = describeOpenPath(
  'getPurged',
  'List purged versions',
  'The versions whose text the operator has erased, in the order of their purges. A program that keeps copies reads it before it uses one that is older than a day, and deletes those that it lists. Needs no API key and is available in recovery mode.',
  { 200: describeAnswer(purgedSchema, purgedExample), ...describeErrorResponses(['invalid_parameter']) },
  listQueryParameters({ query: purgedQuery }),
)

function describeOpenPath(
  id: string,
  summary: string,
  description: string,
  own: Json,
  parameters: readonly Json[] = [],
): Json {
  const responses = { ...own, ...referenceResponses(TRANSPORT_ERRORS) }
  const shared = { summary, description, security: [], parameters, responses }
  return { get: { operationId: id, ...shared }, head: { operationId: `${id}Head`, ...shared } }
}

const text = { type: 'string' }
const integer = { type: 'integer' }

const problemSchema: Json = {
  title: 'Problem (RFC 9457)',
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id'],
  properties: {
    type: { ...text, format: 'uri-reference', description: 'Page about the code' },
    title: text,
    status: integer,
    detail: text,
    instance: { ...text, format: 'uri-reference' },
    code: { enum: problemCodes },
    request_id: { ...text, format: 'uuid' },
    errors: {
      type: 'array',
      description: 'Invalid parameters',
      items: {
        type: 'object',
        required: ['parameter', 'detail'],
        properties: { parameter: text, detail: text },
      },
    },
    nearest: {
      type: 'array',
      description: 'Ids of sections, most similar to the unknown one first, or slugs of packs',
      items: text,
      maxItems: 3,
    },
    slug: { ...text, description: 'Of a purged version' },
    version: { ...text, description: 'Of a purged version' },
    purged_at: { ...text, format: 'date-time' },
    reason: { ...text, description: 'Why it was purged' },
    required_tier: { enum: ['pro'] },
    upgrade: { ...text, format: 'uri-reference' },
    'violated-policies': { type: 'array', items: { enum: ['daily', 'burst'] } },
  },
}
