import { clientNetwork, type RateLimiter } from '@packs/catalog'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, methodNotAllowedError, recoveryError } from '../errors/api-error.ts'
import { hasBody } from '../http/check-message.ts'
import { VARY } from '../http/headers.ts'
import type { ApiPorts } from '../ports.ts'
import type { Caller, CallerFinder } from './caller.ts'
import type { RequestQuota } from './quota.ts'

const METHODS = ['GET', 'HEAD']

/** Dependencies of the hook. */
export interface AuthenticateDependencies {
  readonly mode: ApiPorts['mode']
  readonly now: () => Date
  readonly checkDatabase: () => void
  readonly findCaller: CallerFinder
  readonly limiter: RateLimiter
  readonly quota: RequestQuota
}

/** Accepts a request by calling `done` or resolving, and rejects it by throwing. */
export type AuthenticateHook = (
  request: FastifyRequest,
  reply: FastifyReply,
  done: () => void,
) => Promise<void> | undefined

/**
 * Creates the hook that checks every request below `/api/v1`, in this order: recovery mode, failed keys of the address, database,
 * key, path, method, body. The server answers preflights before. A cached key is accepted synchronously.
 */
export function createAuthenticateHook(dependencies: AuthenticateDependencies): AuthenticateHook {
  const { mode, now, checkDatabase, findCaller, limiter, quota } = dependencies

  const acceptCaller = (
    request: FastifyRequest,
    reply: FastifyReply,
    caller: Caller,
  ): Promise<void> | undefined => {
    request.caller = caller
    const error = findRequestError(request)
    if (error === undefined) return undefined
    if (error.code !== 'not_found') throw error
    // An unknown path is charged like an unknown pack.
    return quota.charge(request, reply).then(() => Promise.reject(error))
  }

  const awaitCaller = async (
    request: FastifyRequest,
    reply: FastifyReply,
    pending: Promise<Caller | undefined>,
  ): Promise<void> => {
    const caller = await pending
    if (caller !== undefined) return acceptCaller(request, reply, caller)
    limiter.take(clientNetwork(request.ip), now())
    throw invalidKeyError()
  }

  return (request, reply, done) => {
    reply.header('vary', VARY)
    const current = mode.current()
    if (current.mode === 'recovery') throw recoveryError(current)
    const wait = limiter.wait(clientNetwork(request.ip), now())
    if (wait > 0) throw tooManyFailedKeysError(wait)
    const key = request.headers['x-api-key']
    if (typeof key !== 'string' || key === '') throw missingKeyError()
    checkDatabase()
    const caller = findCaller(key)
    if (caller instanceof Promise) return awaitCaller(request, reply, caller)
    const pending = acceptCaller(request, reply, caller)
    if (pending === undefined) done()
    return pending
  }
}

function findRequestError(request: FastifyRequest): ApiError | undefined {
  if (request.originalUrl !== request.raw.url) {
    return new ApiError('invalid_path', 'The path is not percent-encoded UTF-8, or is too long')
  }
  if (request.is404 || hasEmptyParameter(request))
    return new ApiError('not_found', 'No endpoint has this path; see /docs')
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return methodNotAllowedError(request.method, METHODS)
  }
  if (!hasBody(request)) return undefined
  const headers = { connection: 'close' }
  return new ApiError('unexpected_body', 'The request has a body, which this API does not accept', {
    headers,
  })
}

/** `/packs/` matches the route of a pack with an empty name. */
function hasEmptyParameter({ params }: FastifyRequest): boolean {
  for (const value of Object.values(params as Readonly<Record<string, string>>)) if (value === '') return true
  return false
}

function tooManyFailedKeysError(seconds: number): ApiError {
  return new ApiError('too_many_failed_keys', 'This address sent too many invalid keys', {
    headers: { 'retry-after': String(seconds) },
  })
}

function missingKeyError(): ApiError {
  return new ApiError('missing_api_key', 'Send an API key in the header x-api-key', {
    headers: { 'www-authenticate': 'ApiKey' },
  })
}

function invalidKeyError(): ApiError {
  return new ApiError('invalid_api_key', 'The API key is malformed, unknown, revoked or expired', {
    headers: { 'www-authenticate': 'ApiKey' },
  })
}
