import { CatalogError } from '@packs/catalog'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiLog } from '../ports.ts'
import { ApiError, type ApiErrorCode } from './api-error.ts'
import { problemTable } from './problem-table.ts'

/** Answers with a refusal. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, error: ApiError): FastifyReply {
  const body = writeProblem(error, request.originalUrl, request.id)
  return reply
    .code(problemTable[error.code].status)
    .headers({ 'cache-control': 'no-store', ...error.extras.headers, 'content-type': PROBLEM_TYPE })
    .send(body)
}

/** Makes a refusal of anything thrown. What is no refusal is logged, and tells nothing of itself. */
export function toApiError(thrown: unknown, request: FastifyRequest, log: ApiLog): ApiError {
  if (thrown instanceof ApiError) return thrown
  const logFields = { request_id: request.id, method: request.method, route: request.routeOptions.url }
  if (thrown instanceof CatalogError && thrown.code === 'catalog_unavailable') {
    log.error({ ...logFields, code: thrown.code }, 'the catalog cannot answer')
    const headers = { 'retry-after': '5' }
    return new ApiError('service_unavailable', 'The database cannot answer now', { headers })
  }
  if (isRequestError(thrown)) {
    return new ApiError('invalid_request', 'The request cannot be read as it is')
  }
  log.error({ ...logFields, ...describeThrown(thrown) }, 'a request failed')
  return new ApiError('internal_error', 'Something unexpected happened; it has been recorded')
}

/** Faults that Fastify itself finds in a request have a status below 500. */
function isRequestError(thrown: unknown): boolean {
  const { statusCode } = (thrown ?? {}) as { readonly statusCode?: unknown }
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500
}

/** Name, code and frames; the message may quote anything. */
function describeThrown(thrown: unknown): Record<string, unknown> {
  if (!(thrown instanceof Error)) return { name: typeof thrown }
  const { code } = thrown as { readonly code?: unknown }
  const frames = thrown.stack?.match(/^ {4}at .*$/gm)?.slice(0, 8) ?? []
  return {
    name: thrown.name,
    ...(typeof code === 'string' && { code }),
    frames: frames.map((frame) => frame.trim()),
  }
}

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
