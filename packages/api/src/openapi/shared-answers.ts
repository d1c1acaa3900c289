import type { ApiErrorCode } from '../errors/api-error.ts'
import { problemTable } from '../errors/problem-table.ts'
import { errorHeaders, headerSchemas, type HeaderName } from './header-schemas.ts'

/** A JSON value of the document. */
export type Json = Readonly<Record<string, unknown>>

/** Refusals that look the same wherever they come, by the name that the document has for them. */
const shared: Readonly<Record<string, readonly ApiErrorCode[]>> = {
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
export function describeSharedAnswers(): Json {
  return Object.fromEntries(Object.entries(shared).map(([name, codes]) => [name, describeRefusal(codes)]))
}

/** Refusals of requests that no path was looked for with. */
export function describeTransportRefusals(): Json {
  return refer(['BadRequest', 'MethodNotAllowed', 'RequestTimeout', 'ExpectationFailed', 'HeadersTooLarge'])
}

/** The refusals of a path: those that all paths have, and its own, which may have a status of the others. */
export function describeRefusals(own: readonly ApiErrorCode[]): Json {
  const general = refer(Object.keys(shared).filter((name) => name !== 'NotFound'))
  const special = [...Map.groupBy(own, (code) => problemTable[code].status)].map(([status, codes]) => [
    String(status),
    describeRefusal(codes),
  ])
  return { ...general, ...(Object.fromEntries(special) as Json) }
}

/** The header fields of every answer below `/api`. */
export const everyHeader: readonly HeaderName[] = ['x-request-id', 'access-control-allow-origin']

/** Points to header fields that the document describes once. */
export function referHeaders(names: readonly HeaderName[]): Json {
  const describe = (name: HeaderName): Json =>
    headerSchemas[name].required ? { $ref: `#/components/headers/${name}` } : { ...headerSchemas[name] }
  return Object.fromEntries(names.map((name) => [name, describe(name)]))
}

function refer(names: readonly string[]): Json {
  return Object.fromEntries(
    names.map((name) => [findStatus(shared[name]), { $ref: `#/components/responses/${name}` }]),
  )
}

function findStatus(codes: readonly ApiErrorCode[] = []): number {
  const [code] = codes
  return code === undefined ? 0 : problemTable[code].status
}

function describeRefusal(codes: readonly ApiErrorCode[]): Json {
  const status = findStatus(codes)
  const { always = [], mostly = [] } = errorHeaders[status] ?? {}
  const optional = mostly.map((name) => [name, { ...headerSchemas[name], required: false }])
  return {
    description: codes.map((code) => `\`${code}\`: ${problemTable[code].title}`).join('; '),
    headers: {
      ...referHeaders([...everyHeader, 'cache-control', ...always]),
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
