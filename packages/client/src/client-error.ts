import type { CompressErrorCode, TokenErrorCode } from '@packs/codec/compress'
import type { ApiCode } from './generated/responses.ts'

/** Codes of the API and the codec are passed on unchanged (docs/errors.md). */
export type ClientErrorCode =
  | 'invalid_name' // the name of a pack is malformed, or the names of a prompt are not a list
  | 'invalid_range' // the version range in a name is malformed
  | 'invalid_option' // an option has an invalid value, or a call needs `url`
  | 'insecure_url' // the key would be sent over http to another machine, readable by everybody on the way
  | 'no_matching_version' // no version of the pack is in the range; yanked versions do not count
  | 'not_in_lock' // the pack is not in the lock, or its locked version is not in the range
  | 'invalid_lock' // `packs.lock` is missing, or has an invalid field or conflict markers; the message says where
  | 'lock_mismatch' // a pack differs from the one that the lock pins
  | 'signer_mismatch' // a pack is unsigned, or signed with a different key than the lock pins or `signers` names
  | 'not_cached' // a pack of the lock is not in the cache, and there is no `url`
  | 'unreachable' // the connection fails or breaks, or the response is 429 or 5xx without a code, and there is no cached copy
  | 'timeout' // no complete response in time, and no cached copy
  | 'invalid_response' // a response that no catalog sends: HTML, a redirect, a missing field, a different pack
  | 'digest_mismatch' // the received bytes did not match their digest, twice
  | 'invalid_signature' // a signature of a pack is malformed, or was not made by its key for this pack
  | 'response_too_large' // a response is larger than the limit for its kind
  | 'preview_only' // a prompt or a lock needs whole packs, and the key belongs to a Free account

/** What is known of a failed call. */
export interface ClientErrorDetails {
  /** HTTP status, if there was a response. */
  readonly status?: number | undefined
  /** Request id of the server, for its operator. */
  readonly requestId?: string | undefined
  /** When to try again, for 429 and 503. */
  readonly retryAt?: Date | undefined
  readonly cause?: unknown
}

/** The error that every client method throws. Messages never contain the key or a pack's text. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  /**
   * A {@link ClientErrorCode}, or a code of the API or of a prompt. Always give a `switch` over it
   * a `default`: a newer catalog may send a code that is not in these types, and it is passed on.
   */
  declare readonly code: ClientErrorCode | ApiCode | CompressErrorCode | TokenErrorCode
  declare readonly hint: string
  declare readonly status: number | undefined
  declare readonly requestId: string | undefined
  declare readonly retryAt: Date | undefined

  /** @param code may come from a newer catalog */
  constructor(code: string, message: string, hint: string, details: ClientErrorDetails = {}) {
    super(message, details)
    const { status, requestId, retryAt } = details
    Object.assign(this, { code, hint, status, requestId, retryAt })
  }
}

/** Rethrows an error; an error of the codec, which has a code and a hint too, as a ClientError. */
export function rethrow(error: unknown): never {
  if (error instanceof ClientError || !(error instanceof Error && 'hint' in error)) throw error
  const { code, message, hint } = error as Error & Pick<ClientError, 'code' | 'hint'>
  throw new ClientError(code, message, hint, { cause: error })
}

const KEY_HINT = 'Pass a valid key; whole packs need Pro.'
const URL_HINT = 'Check url and the network, then try again.'

/** What to do, by code; docs/errors.md says more. */
const HINTS: Readonly<Record<string, string>> = {
  insecure_url: 'Use https, or pass allowHttp in a network that you trust.',
  not_cached: 'Run pack install, or pass url.',
  preview_only: KEY_HINT,
  pack_not_found: 'Find its name with search.',
  purged_version: 'Use another version.',
  unreachable: URL_HINT,
  timeout: URL_HINT,
  invalid_response: URL_HINT,
  digest_mismatch: URL_HINT,
  invalid_signature: 'Ask the publisher of the pack.',
}

function hintAt(status = 0): string {
  if (status === 401 || status === 403) return KEY_HINT
  if (status === 429 || status >= 500) return 'Try again later; see retryAt.'
  return 'Fix what the message says.'
}

/** Creates an error with the hint of its code or status. */
export function createError(
  code: ClientErrorCode | (string & {}),
  message: string,
  details: ClientErrorDetails = {},
): ClientError {
  return new ClientError(code, message, HINTS[code] ?? hintAt(details.status), details)
}

/** Creates the error for an option. It does not have the value, which may be the key. */
export function optionError(name: string, rule: string): ClientError {
  return new ClientError('invalid_option', `The option ${name} is not ${rule}`, `Pass ${rule}.`)
}

/** Creates the error for a response that the API would not send. */
export function invalidResponseError(what: string, details?: ClientErrorDetails): ClientError {
  return createError('invalid_response', `The response is invalid: ${what}`, details)
}

/** @param name of the digest */
export function digestMismatchError(name: string, details?: ClientErrorDetails): ClientError {
  return createError('digest_mismatch', `The response does not match its ${name}`, details)
}

/** @throws ClientError `invalid_option` for one that the method does not have */
export function checkOptions(method: string, options: object, known: readonly string[]): void {
  const isObject: boolean = typeof options === 'object' && options !== null && !Array.isArray(options)
  if (!isObject) throw optionError(`of ${method}`, `an object with ${known.join(', ')}`)
  const other = Object.keys(options).find((name) => !known.includes(name))
  if (other === undefined) return
  const message = `${method} has no option ${JSON.stringify(other.slice(0, 40))}`
  throw new ClientError('invalid_option', message, `Its options are ${known.join(', ')}.`)
}
