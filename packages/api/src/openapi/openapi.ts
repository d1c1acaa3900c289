import { z } from 'zod'
import { problemCodes } from '../errors/problem-table.ts'
import type { ApiRoute } from '../routes/api-route.ts'
import { KEYS_PATH, keysSchema, statusSchema } from '../routes/mount-public.ts'
import {
  commonHeaders,
  describeErrorResponses,
  describeSharedResponses,
  describeTransportErrors,
  headerSchemas,
  referenceHeaders,
  type HeaderName,
  type Json,
} from './components.ts'
import { keysExample, statusExample } from './example-answers.ts'
import { routeExamples } from './examples.ts'

const QUOTA_HEADERS: readonly HeaderName[] = ['ratelimit-policy', 'ratelimit']

/**
 * Describes all paths, header fields, statuses and error codes of the API as OpenAPI 3.1.
 *
 * @param origin of the server, if it is known
 */
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
    paths: { ...Object.fromEntries(paths), '/api/status': statusPath, [KEYS_PATH]: keysPath },
    components: {
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } },
      schemas: { Problem: problemSchema },
      responses: describeSharedResponses(),
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

function listPathParameters({ parameters }: ApiRoute): Json[] {
  return Object.entries(parameters).map(([name, description]) => ({
    name,
    in: 'path',
    required: true,
    description,
    schema: { type: 'string' },
  }))
}

function listQueryParameters({ query }: ApiRoute): Json[] {
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
  const ownCodes = Object.keys(route.parameters).length > 0 ? (['not_found'] as const) : []
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
    ...describeErrorResponses([...route.errorCodes, ...ownCodes]),
  }
}

function toSchema(schema: z.ZodType): Json {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io: 'output' })
  return json
}

const keysPath = describeOpenPath(
  'getKeys',
  'Get the public keys that sign packs',
  'Needs no API key and is available in recovery mode. Anyone who serves packs can serve keys too, so compare the id of a key with what its publisher says elsewhere.',
  {
    200: {
      description: 'Success',
      headers: referenceHeaders([...commonHeaders, 'cache-control', 'etag']),
      content: { 'application/json': { schema: toSchema(keysSchema), example: keysExample } },
    },
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
  {
    200: {
      description: 'Success',
      headers: referenceHeaders([...commonHeaders, 'cache-control']),
      content: { 'application/json': { schema: toSchema(statusSchema), example: statusExample } },
    },
  },
)

/** Describes a path that needs no key. */
function describeOpenPath(id: string, summary: string, description: string, own: Json): Json {
  const responses = { ...own, ...describeTransportErrors() }
  const shared = { summary, description, security: [], responses }
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
    required_tier: { enum: ['pro'] },
    upgrade: { ...text, format: 'uri-reference' },
    'violated-policies': { type: 'array', items: { enum: ['daily', 'burst'] } },
  },
}
