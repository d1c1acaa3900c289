import type { Mode } from '@packs/catalog'
import { FREE_REQUESTS } from '../ports.ts'
import type { ApiErrorCode } from './problem-table.ts'

/** Default `Retry-After` in recovery mode, in seconds; the operator can set another. */
const RETRY_AFTER = 3600

/** The page that explains how to upgrade to Pro. */
const UPGRADE_PATH = '/docs#tiers'

export interface ParameterError {
  readonly parameter: string
  readonly detail: string
}

interface ApiErrorExtras {
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
  return new ApiError('method_not_allowed', `${method} is not allowed here; use ${allowed.join(' or ')}`, {
    headers,
  })
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

/** Creates the error for every request below `/api/v1` in recovery mode. */
export function recoveryError({ message, retry_after }: Mode): ApiError {
  const detail =
    message ??
    'The service is in recovery mode: the API is unavailable, and keys can be neither created nor used.'
  return new ApiError('recovery_mode', detail, {
    headers: { 'retry-after': String(retry_after ?? RETRY_AFTER), 'cache-control': 'no-store' },
  })
}
