import { CatalogError, createRateLimiter, describeThrown, nameDamaged } from '@packs/catalog'
import type { Mode, DamagedVersion } from '@packs/catalog'
import { FREE_REQUESTS, type ApiLog } from '../ports.ts'
import { type ApiErrorCode, problemTable } from './problem-table.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Default `Retry-After` in recovery mode, in seconds; the operator can set another. */
const RETRY_AFTER = 3600

const UPGRADE_PATH = '/docs#tiers'

export interface ParameterError {
  readonly parameter: string
  readonly detail: string
}

interface ApiErrorExtras {
  /** @default that of the code */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly members?: Readonly<Record<string, unknown>>
}

/** An API error, sent as `application/problem+json`. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ApiErrorCode
  readonly extras: ApiErrorExtras

  constructor(code: ApiErrorCode, detail: string, extras: ApiErrorExtras = {}) {
    super(detail)
    this.code = code
    this.extras = extras
  }
}

export function methodNotAllowedError(method: string, allowed: readonly string[]): ApiError {
  const headers = { allow: allowed.join(', ') }
  const detail = `${method} is not allowed here; use ${allowed.join(' or ')}`
  return new ApiError('method_not_allowed', detail, { headers })
}

export function preconditionFailedError(): ApiError {
  return new ApiError('precondition_failed', 'The current ETag does not match the header If-Match')
}

export function tierRequiredError(detail: string): ApiError {
  return new ApiError('tier_required', detail, { members: { required_tier: 'pro', upgrade: UPGRADE_PATH } })
}

/** @param seconds until the next uncharged request of the account is allowed */
export function tooManyRequestsError(seconds: number): ApiError {
  const { limit, windowMs } = FREE_REQUESTS
  const detail = `An account may send ${limit} uncharged requests a minute; wait ${seconds} seconds`
  return new ApiError('too_many_requests', detail, {
    headers: {
      'retry-after': String(seconds),
      'ratelimit-policy': `"burst";q=${limit};w=${windowMs / 1000}`,
      ratelimit: `"burst";r=0;t=${seconds}`,
    },
    members: { 'violated-policies': ['burst'] },
  })
}

export function invalidParametersError(errors: readonly ParameterError[]): ApiError {
  const names = errors.map(({ parameter }) => JSON.stringify(parameter.slice(0, 80))).join(', ')
  const detail = `Invalid parameters: ${names.slice(0, 400)}`
  return new ApiError('invalid_parameter', detail, { members: { errors } })
}

export function recoveryError({ message, retry_after }: Mode): ApiError {
  const detail =
    message ??
    'The service is in recovery mode: the API is unavailable, and keys can be neither created nor used.'
  return new ApiError('recovery_mode', detail, {
    headers: { 'retry-after': String(retry_after ?? RETRY_AFTER), 'cache-control': 'no-store' },
  })
}

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'

/** Maximum characters of a path in a problem, before encoding. */
const MAX_PATH = 512

export function sendProblem(reply: FastifyReply, error: ApiError): FastifyReply {
  reply.request.problem = error.code
  const body = writeProblem(error, reply.request.originalUrl, reply.request.id)
  return reply
    .code(error.extras.status ?? problemTable[error.code].status)
    .headers({ 'cache-control': 'no-store', ...error.extras.headers, 'content-type': PROBLEM_TYPE })
    .send(body)
}

/** Code of the API for a lack of places, and the seconds to wait. */
const busyErrors = {
  catalog_busy: ['service_unavailable', '5'],
  search_busy: ['search_busy', '2'],
  too_many_at_once: ['too_many_at_once', '2'],
} as const

/** One client can cause thousands, so each account is logged once a minute. */
const busyWarnings = createRateLimiter({ limit: 1, windowMs: 60_000 })

/** Unexpected errors are logged; the client sees no details of them. */
export function toApiError(thrown: unknown, request: FastifyRequest, log: ApiLog): ApiError {
  if (thrown instanceof ApiError) return thrown
  const logFields = describeRequest(request)
  if (thrown instanceof CatalogError && thrown.code === 'catalog_damaged') {
    log.error({ ...logFields, ...describeThrown(thrown) }, 'a pack is damaged')
    return new ApiError('damaged_pack', 'The rows of this pack in the database are damaged')
  }
  if (thrown instanceof CatalogError && thrown.code === 'catalog_unavailable') {
    log.error({ ...logFields, code: thrown.code }, 'the catalog is unavailable')
    const detail = 'The database is temporarily unavailable'
    return new ApiError('service_unavailable', detail, { headers: { 'retry-after': '5' } })
  }
  if (thrown instanceof CatalogError && Object.hasOwn(busyErrors, thrown.code)) {
    const account = request.caller?.account.id ?? ''
    if (busyWarnings.take(account, new Date()) === 0)
      log.warn({ ...logFields, account, code: thrown.code }, 'requests were refused, there were too many')
    const [code, wait] = busyErrors[thrown.code as keyof typeof busyErrors]
    return new ApiError(code, thrown.message, { headers: { 'retry-after': wait } })
  }
  // Fastify's own errors about a request have a status below 500.
  const { statusCode } = Object(thrown) as { readonly statusCode?: unknown }
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500)
    return new ApiError('invalid_request', 'The request cannot be read')
  log.error({ ...logFields, ...describeThrown(thrown) }, 'a request failed')
  return new ApiError('internal_error', 'An unexpected error occurred and was logged')
}

/** Matches API keys and publish tokens, even truncated ones. */
const KEY = /kp(?:ub)?(?:_|%5f)[0-9a-z]{12,}/gi

/** Serializes an error as problem details (RFC 9457), with API keys masked. */
export function writeProblem(error: ApiError, path: string, requestId: string): string {
  const { status, title } = problemTable[error.code]
  const problem = {
    type: `/docs/errors/${error.code}`,
    title,
    status: error.extras.status ?? status,
    detail: error.message,
    instance: toUriReference(path),
    code: error.code,
    request_id: requestId,
    ...error.extras.members,
  }
  return JSON.stringify(problem).replace(KEY, 'kp_***')
}

/** Returns a path as a valid URI reference, without query and cut; `/` if it is none. */
function toUriReference(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1)
  if (!path.startsWith('/')) return '/'
  return path
    .slice(0, MAX_PATH)
    .replace(/%(?![0-9a-f]{2})/gi, '%25')
    .replace(/[^\w%:/@!$&'()*+,;=.~-]/g, (character) => encodeURIComponent(character.toWellFormed()))
}

/** Logs the damaged packs that a response omits, if there are any, in one line. */
export function logDamaged(log: ApiLog, request: FastifyRequest, damaged: readonly DamagedVersion[]): void {
  if (damaged.length === 0) return
  const fields = { ...describeRequest(request), code: 'damaged_pack', damaged: damaged.map(nameDamaged) }
  log.error(fields, 'a response omits damaged packs')
}

function describeRequest({ id, method, routeOptions }: FastifyRequest): object {
  return { request_id: id, method, route: routeOptions.url }
}
