import type { Mode } from '@packs/catalog'
import { ApiError } from '../errors/api-error.ts'
import { readSegments } from '../http/read-segments.ts'

/** Seconds that clients are told to wait where the operator named none. */
const RETRY_AFTER = 3600

/** The one answer of recovery mode. */
export function refuseInRecovery({ message, retry_after }: Mode): ApiError {
  const detail =
    message ??
    'The service is in recovery mode: the API answers nothing, and keys can neither be made nor used.'
  return new ApiError('recovery_mode', detail, {
    headers: { 'retry-after': String(retry_after ?? RETRY_AFTER), 'cache-control': 'no-store' },
  })
}

/**
 * Could a server or a proxy take this address for one below `/api/v1`, whatever its encoding, case, slashes and dots.
 * Says yes rather than no.
 */
export function isBelowApi(url: string): boolean {
  const [first, second = ''] = readSegments(url)
  return first === 'api' && /^v1(?![a-z0-9])/.test(second)
}
