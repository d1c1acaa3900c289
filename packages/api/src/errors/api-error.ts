import type { Mode } from '@packs/catalog'

/** Why a request is refused; `docs/errors.md` and the page at `/docs/errors/<code>` explain each. */
export type ApiErrorCode =
  | 'invalid_parameter'
  | 'invalid_path'
  | 'invalid_request'
  | 'unexpected_body'
  | 'missing_api_key'
  | 'invalid_api_key'
  | 'tier_required'
  | 'not_found'
  | 'pack_not_found'
  | 'version_not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'expectation_failed'
  | 'headers_too_large'
  | 'quota_exceeded'
  | 'too_many_failed_keys'
  | 'internal_error'
  | 'recovery_mode'
  | 'service_unavailable'

/** A parameter at fault. */
export interface ParameterError {
  readonly parameter: string
  readonly detail: string
}

/** What an answer carries beside its code and detail. */
export interface ApiErrorExtras {
  /** Header fields. */
  readonly headers?: Readonly<Record<string, string>>
  /** Members of the body. */
  readonly members?: Readonly<Record<string, unknown>>
}

/** A refusal of the API; becomes `application/problem+json`. */
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

/** A refusal of a method where there are others. */
export function methodNotAllowedError(method: string, allowed: readonly string[]): ApiError {
  return new ApiError('method_not_allowed', `${method} is not allowed here`, {
    headers: { allow: allowed.join(', ') },
  })
}

/** A refusal of parameters, all that are at fault at once. */
export function invalidParametersError(errors: readonly ParameterError[]): ApiError {
  const names = errors.map(({ parameter }) => JSON.stringify(parameter.slice(0, 80))).join(', ')
  return new ApiError('invalid_parameter', `Parameters at fault: ${names.slice(0, 400)}`, {
    members: { errors },
  })
}

/** Seconds that clients are told to wait where the operator named none. */
const RETRY_AFTER = 3600

/** The one answer of recovery mode. */
export function recoveryError({ message, retry_after }: Mode): ApiError {
  const detail =
    message ??
    'The service is in recovery mode: the API answers nothing, and keys can neither be made nor used.'
  return new ApiError('recovery_mode', detail, {
    headers: { 'retry-after': String(retry_after ?? RETRY_AFTER), 'cache-control': 'no-store' },
  })
}
