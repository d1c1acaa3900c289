import { clientNetwork, createRateLimiter } from '@packs/catalog'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, methodNotAllowedError, recoveryError } from '../errors/api-error.ts'
import { hasBody } from '../http/check-message.ts'
import { VARY } from '../http/headers.ts'
import type { ApiPorts, KeyCheck } from '../ports.ts'
import { createCallerFinder, type Caller } from './caller.ts'

const METHODS = ['GET', 'HEAD']

/** Invalid keys that one network may send a minute. */
const FAILED_KEYS = 300

interface KeyCheckPorts extends Pick<ApiPorts, 'catalog' | 'mode' | 'now'> {
  /** Throws while the database does not respond, without querying it. */
  readonly checkDatabase: () => void
}

/**
 * Tests in this order: recovery mode, key present, database, key. Wrong keys of a network are
 * limited, and valid ones pass however many others sent wrong ones. All endpoints share one, so
 * that wrong keys are counted together.
 */
export function createKeyCheck({ catalog, mode, now, checkDatabase }: KeyCheckPorts): KeyCheck {
  const limiter = createRateLimiter({ limit: FAILED_KEYS, windowMs: 60_000 })
  const findCaller = createCallerFinder(catalog, now)

  const awaitCaller = async (
    request: FastifyRequest,
    pending: Promise<Caller | undefined>,
  ): Promise<Caller> => {
    const caller = await pending
    if (caller !== undefined) return caller
    const wait = limiter.take(clientNetwork(request.ip), now())
    if (wait > 0) throw tooManyFailedKeysError(wait)
    throw keyError('invalid_api_key', 'The API key is malformed, unknown, revoked or expired')
  }

  return (request, key) => {
    const current = mode.current()
    if (current.mode === 'recovery') throw recoveryError(current)
    if (key === undefined || key === '')
      throw keyError('missing_api_key', 'Send an API key in the header x-api-key')
    checkDatabase()
    const caller = findCaller(key)
    return caller instanceof Promise ? awaitCaller(request, caller) : caller
  }
}

/** Accepts a request by calling `done` or resolving, and rejects it by throwing. */
export type AuthenticateHook = (
  request: FastifyRequest,
  reply: FastifyReply,
  done: () => void,
) => Promise<void> | undefined

/** Checks every request below `/api/v1`: key, path, method, body. Preflights never reach it. */
export function createAuthenticateHook(checkKey: KeyCheck): AuthenticateHook {
  const acceptCaller = (request: FastifyRequest, caller: Caller): void => {
    request.caller = caller
    const error = findRequestError(request)
    if (error !== undefined) throw error
  }

  return (request, reply, done) => {
    reply.header('vary', VARY)
    const key = request.headers['x-api-key']
    const caller = checkKey(request, typeof key === 'string' ? key : undefined)
    if (caller instanceof Promise) return caller.then((found) => acceptCaller(request, found))
    acceptCaller(request, caller)
    done()
    return undefined
  }
}

function findRequestError(request: FastifyRequest): ApiError | undefined {
  if (request.originalUrl !== request.raw.url) {
    return new ApiError('invalid_path', 'The path is not percent-encoded UTF-8, or is too long')
  }
  // `/packs/` matches the route of a pack, with an empty name.
  const hasEmptyName = Object.values(request.params as Readonly<Record<string, string>>).includes('')
  if (request.is404 || hasEmptyName) return notFoundError(request)
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return methodNotAllowedError(request.method, METHODS)
  }
  if (!hasBody(request)) return undefined
  const detail = 'The request has a body, which this API does not accept'
  return new ApiError('unexpected_body', detail, { headers: { connection: 'close' } })
}

/** What replaces a path that earlier releases had. */
const removedPaths: ReadonlyMap<string, string> = new Map([
  ['/api/v1/prompt', 'GET /api/v1/context?pack=…, which gives whole packs'],
])

export function notFoundError({ url }: FastifyRequest): ApiError {
  const successor = removedPaths.get(url.split('?', 1)[0]!)
  const detail =
    successor === undefined
      ? 'No endpoint has this path; see /docs'
      : `This endpoint was removed; use ${successor}`
  return new ApiError('not_found', detail)
}

function tooManyFailedKeysError(seconds: number): ApiError {
  const headers = { 'retry-after': String(seconds) }
  return new ApiError(
    'too_many_failed_keys',
    `This IP address sent too many invalid keys; wait ${seconds} seconds`,
    { headers },
  )
}

function keyError(code: 'missing_api_key' | 'invalid_api_key', detail: string): ApiError {
  return new ApiError(code, detail, { headers: { 'www-authenticate': 'ApiKey' } })
}
