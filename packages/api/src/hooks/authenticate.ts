import { clientNetwork, type RateLimiter } from '@packs/catalog'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, refuseInRecovery, refuseMethod } from '../errors/api-error.ts'
import { hasBody } from '../http/check-message.ts'
import { VARY } from '../http/headers.ts'
import type { ApiPorts } from '../ports.ts'
import type { Caller, KeyReader } from './caller.ts'
import type { Till } from './quota.ts'

const METHODS = ['GET', 'HEAD']

/** What the gate stands on. */
export interface GateParts {
  readonly mode: ApiPorts['mode']
  readonly now: () => Date
  readonly readKey: KeyReader
  readonly limiter: RateLimiter
  readonly till: Till
}

/** Lets a request through by calling `done` or by a promise, and refuses it by throwing. */
export type Gate = (
  request: FastifyRequest,
  reply: FastifyReply,
  done: () => void,
) => Promise<void> | undefined

/**
 * Creates the one hook in front of everything below `/api/v1`, in the order that the interface fixes: recovery, failed
 * keys of the address, key, path, method; the server has answered preflights. A key that is known lets through without waiting.
 */
export function createGate(parts: GateParts): Gate {
  const { mode, now, readKey, limiter, till } = parts

  const admit = (request: FastifyRequest, reply: FastifyReply, caller: Caller): Promise<void> | undefined => {
    request.caller = caller
    const refusal = judgeRequest(request)
    if (refusal === undefined) return undefined
    if (refusal.code !== 'not_found') throw refusal
    // An unknown path is charged as an unknown pack is.
    return till.charge(request, reply).then(() => Promise.reject(refusal))
  }

  const awaitCaller = async (
    request: FastifyRequest,
    reply: FastifyReply,
    pending: Promise<Caller | undefined>,
  ): Promise<void> => {
    const caller = await pending
    if (caller !== undefined) return admit(request, reply, caller)
    limiter.take(clientNetwork(request.ip), now())
    throw refuseInvalid()
  }

  return (request, reply, done) => {
    reply.header('vary', VARY)
    const current = mode.current()
    if (current.mode === 'recovery') throw refuseInRecovery(current)
    const wait = limiter.wait(clientNetwork(request.ip), now())
    if (wait > 0) throw refuseAddress(wait)
    const text = request.headers['x-api-key']
    if (typeof text !== 'string' || text === '') throw refuseMissing()
    const caller = readKey(text)
    if (caller instanceof Promise) return awaitCaller(request, reply, caller)
    const pending = admit(request, reply, caller)
    if (pending === undefined) done()
    return pending
  }
}

function judgeRequest(request: FastifyRequest): ApiError | undefined {
  if (request.originalUrl !== request.raw.url) {
    return new ApiError('invalid_path', 'The path is no percent-encoded UTF-8, or too long for any pack')
  }
  if (request.is404 || hasEmptyName(request))
    return new ApiError('not_found', 'No endpoint has this path; see /docs')
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return refuseMethod(request.method, METHODS)
  }
  if (!hasBody(request)) return undefined
  const headers = { connection: 'close' }
  return new ApiError('unexpected_body', 'The request has a body; this API takes none', { headers })
}

/** `/packs/` reaches the route of a pack with an empty name. */
function hasEmptyName({ params }: FastifyRequest): boolean {
  for (const value of Object.values(params as Readonly<Record<string, string>>)) if (value === '') return true
  return false
}

function refuseAddress(seconds: number): ApiError {
  return new ApiError('too_many_failed_keys', 'Too many keys from this address were not valid', {
    headers: { 'retry-after': String(seconds) },
  })
}

function refuseMissing(): ApiError {
  return new ApiError('missing_api_key', 'Send an API key in the header x-api-key', {
    headers: { 'www-authenticate': 'ApiKey' },
  })
}

function refuseInvalid(): ApiError {
  return new ApiError('invalid_api_key', 'The API key is malformed, unknown, revoked or expired', {
    headers: { 'www-authenticate': 'ApiKey' },
  })
}
