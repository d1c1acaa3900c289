import type { Mode } from '@packs/catalog'
import { ApiError } from '../problem/api-error.ts'

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
  let [path = ''] = url.split(/[?#]/, 1)
  path = path.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '')
  // Encodings of encodings are read twice at most, so that a long address costs little.
  for (let round = 0; round < 2; round++) {
    path = path.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
  }
  const segments: string[] = []
  for (const segment of path.toLowerCase().split(/[/\\]+/)) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return segments[0] === 'api' && /^v1(?![a-z0-9])/.test(segments[1] ?? '')
}
