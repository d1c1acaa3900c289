import type { ApiError, ApiErrorCode } from './api-error.ts'
import { problemTable } from './problem-table.ts'

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'

/** The body of a refusal (RFC 9457). */
interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  /** Path of the request, without its query. */
  readonly instance: string
  readonly code: ApiErrorCode
  readonly request_id: string
}

/** Long enough to be a key, also one that was cut short. */
const KEY = /kp(?:_|%5f)[0-9a-z]{12,}/gi

/** Writes the body of a refusal; what looks like a key is masked. @param path of the request, as it came */
export function writeProblem(error: ApiError, path: string, requestId: string): string {
  return JSON.stringify(describeProblem(error, path, requestId)).replace(KEY, 'kp_***')
}

function describeProblem(error: ApiError, path: string, requestId: string): Problem {
  const { status, title } = problemTable[error.code]
  return {
    type: `/docs/errors/${error.code}`,
    title,
    status,
    detail: error.message,
    instance: showPath(path),
    code: error.code,
    request_id: requestId,
    ...error.extras.members,
  }
}

const MAX_PATH = 512

/** A path as a valid URI reference, without its query and cut at 512 characters; `/` for what is no path. */
export function showPath(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1)
  if (!path.startsWith('/')) return '/'
  return path
    .slice(0, MAX_PATH)
    .replace(/%(?![0-9a-f]{2})/gi, '%25')
    .replace(/[^\w%:/@!$&'()*+,;=.~-]/g, (character) => encodeURIComponent(character.toWellFormed()))
}
