import type { Mode } from '@packs/catalog'
import { FREE_REQUESTS } from '../ports.ts'
import type { ApiErrorCode } from './problem-table.ts'

/** Seconds of `Retry-After` in recovery mode, unless the operator sets them. */
const RETRY_AFTER = 3600

/** The page that explains how to upgrade to Pro. */
const UPGRADE_PATH = '/docs#tiers'

export interface ParameterError {
  readonly parameter: string
  readonly detail: string
}

export interface ApiErrorExtras {
  readonly headers?: Readonly<Record<string, string>>
  readonly members?: Readonly<Record<string, unknown>>
}

/** An error of the API, sent as `application/problem+json`. */
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
  return new ApiError('method_not_allowed', `${method} is not allowed here`, { headers })
}

export function tierRequiredError(detail: string): ApiError {
  return new ApiError('tier_required', detail, { members: { required_tier: 'pro', upgrade: UPGRADE_PATH } })
}

/**
 * Creates the error for more requests than an account may send a minute without being charged.
 *
 * @param seconds to wait
 */
export function tooManyRequestsError(seconds: number): ApiError {
  const { limit, windowMs } = FREE_REQUESTS
  const detail = `An account may send ${limit} requests a minute that are not charged; wait ${seconds} seconds`
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

/** Creates the error that every request below `/api/v1` gets in recovery mode. */
export function recoveryError({ message, retry_after }: Mode): ApiError {
  const detail =
    message ??
    'The service is in recovery mode: the API is not available, and keys can be neither created nor used.'
  return new ApiError('recovery_mode', detail, {
    headers: { 'retry-after': String(retry_after ?? RETRY_AFTER), 'cache-control': 'no-store' },
  })
}
