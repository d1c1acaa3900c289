import { computeRetryAfter, verifyKey, clientNetwork, createRateLimiter } from '@packs/catalog'
import type { Quota, QuotaState, RateLimiter, Account, Catalog, VerifiedKey } from '@packs/catalog'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  ApiError,
  preconditionFailedError,
  tooManyRequestsError,
  methodNotAllowedError,
  recoveryError,
} from '../errors/api-error.ts'
import { checkPreconditions, formatEtag, sendNotModified } from '../response-cache/body.ts'
import { LRUCache } from 'lru-cache'
import { hasBody } from '../http/check-message.ts'
import { VARY } from '../http/headers.ts'
import type { ApiPorts, KeyCheck } from '../ports.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
    /** Code of the error that was sent, for metrics. Pages set it too. */
    problem: string | null
  }
}

/** Milliseconds after which revoking a key or changing a tier takes effect. */
const CACHE_MILLISECONDS = 500
const MAX_CACHED_KEYS = 10_000

export type Caller = VerifiedKey

/** Returns the caller with a key, synchronously if cached; undefined if the key is invalid. */
type CallerFinder = (key: string) => Caller | Promise<Caller | undefined>

/** Queries the catalog for each valid key at most twice a second; invalid keys are not kept. */
export function createCallerFinder(catalog: Catalog, now: () => Date): CallerFinder {
  const cached = new LRUCache<string, { readonly caller: Caller; readonly expiresAt: number }>({
    max: MAX_CACHED_KEYS,
  })
  const pending = new Map<string, Promise<Caller | undefined>>()

  const verify = async (key: string, date: Date): Promise<Caller | undefined> => {
    const caller = await verifyKey(catalog, key, date)
    if (caller === undefined) return undefined
    const end = caller.key.expires_at === null ? Infinity : Date.parse(caller.key.expires_at)
    cached.set(key, { caller, expiresAt: Math.min(date.getTime() + CACHE_MILLISECONDS, end) })
    return caller
  }

  return (key) => {
    const date = now()
    const known = cached.get(key)
    if (known !== undefined) {
      const left = known.expiresAt - date.getTime()
      // More time left than a new entry has means that the clock was set back.
      if (left > 0 && left <= CACHE_MILLISECONDS) return known.caller
      cached.delete(key)
    }
    const caller = pending.get(key) ?? verify(key, date).finally(() => pending.delete(key))
    pending.set(key, caller)
    return caller
  }
}

/** Returns the account of a request once its key is verified, for logs. */
export function findAccount({ caller }: FastifyRequest): Account | undefined {
  return caller?.account
}

/** Returns the caller in a route, where the authenticate hook has set it. */
export function requireCaller({ caller }: FastifyRequest): Caller {
  if (caller === null) throw new Error('A route was reached without a key')
  return caller
}

/**
 * Charges requests and sets the `RateLimit` headers. Only an answer is charged: 200 right before it
 * is sent, once all that can fail is done, and 404 where errors are handled. Everything else is
 * free.
 */
export interface RequestQuota {
  /**
   * Charges `count` requests, all of them or none; nothing if the client is gone.
   * @throws ApiError `quota_exceeded`
   */
  charge(reply: FastifyReply, count?: number): Promise<void>
  /**
   * Charges nothing: an account with too little left is refused before it waits for work.
   * @throws ApiError `quota_exceeded`
   */
  check(reply: FastifyReply, count?: number): Promise<void>
  peek(reply: FastifyReply): Promise<QuotaState>
  /** Counts an uncharged request; returns the seconds to wait after too many, else 0. */
  takeFree(request: FastifyRequest): number
}

export function createRequestQuota(quota: Quota, freeRequests: RateLimiter, now: () => Date): RequestQuota {
  return {
    async charge(reply, count = 1) {
      if (reply.raw.destroyed) return
      const date = now()
      const state = await quota.take(requireCaller(reply.request).account, date, count)
      setRateLimitHeaders(reply, state, date)
      if (!state.allowed) throw quotaExceededError(state, count, computeRetryAfter(state, date))
    },
    async check(reply, count = 1) {
      const state = await this.peek(reply)
      if (state.remaining < count) throw quotaExceededError(state, count, computeRetryAfter(state, now()))
    },
    async peek(reply) {
      const date = now()
      const state = await quota.peek(requireCaller(reply.request).account, date)
      setRateLimitHeaders(reply, state, date)
      return state
    },
    takeFree: (request) => freeRequests.take(requireCaller(request).account.id, now()),
  }
}

/** The format follows draft-ietf-httpapi-ratelimit-headers. */
function setRateLimitHeaders(
  reply: FastifyReply,
  { limit, remaining, resetAt }: QuotaState,
  date: Date,
): void {
  const seconds = computeRetryAfter({ resetAt }, date)
  reply.header('ratelimit-policy', `"daily";q=${limit};w=86400`)
  reply.header('ratelimit', `"daily";r=${remaining};t=${seconds}`)
}

function quotaExceededError(state: QuotaState, count: number, seconds: number): ApiError {
  const { limit, remaining, resetAt, isFallback } = state
  const reset = `the quota resets at ${resetAt.toISOString()}`
  const shortage =
    remaining > 0
      ? `This request counts as ${count}, but only ${remaining} of today's ${limit} requests (UTC) are left, so it was not charged`
      : `All ${limit} requests of this UTC day are used up`
  const detail = isFallback
    ? `Requests cannot be counted at the moment, so only part of the daily quota of ${limit} is available, and ${remaining > 0 ? 'too little of it is left' : 'it is used up'}`
    : `${shortage}; ${reset}`
  return new ApiError('quota_exceeded', detail, {
    headers: { 'retry-after': String(seconds) },
    members: { 'violated-policies': ['daily'] },
  })
}

/** The response that the client may already have. */
export interface Revalidation {
  readonly tag: string
  readonly weak: boolean
  readonly caching: string
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/**
 * Sends 304 if the client already has the response, and returns whether it did. A 304 is free, even
 * when the quota is used up. Beyond 60 free answers a minute the condition is ignored.
 * @throws ApiError `precondition_failed`
 */
export async function revalidate(
  quota: RequestQuota,
  reply: FastifyReply,
  response: Revalidation,
): Promise<boolean> {
  const { request } = reply
  const etag = formatEtag(response, request.headers['accept-encoding'])
  const status = checkPreconditions(request, etag)
  if (status === undefined) return false
  const wait = quota.takeFree(request)
  if (status === 412) throw wait > 0 ? tooManyRequestsError(wait) : preconditionFailedError()
  if (wait > 0) return false
  await quota.peek(reply)
  sendNotModified(reply.headers(response.headers ?? {}), etag, response.caching)
  return true
}

const METHODS = ['GET', 'HEAD']

/** Invalid keys that one network may send a minute. */
const FAILED_KEYS = 300

interface KeyCheckPorts extends Pick<ApiPorts, 'catalog' | 'mode' | 'now'> {
  /** Throws while the database does not respond, without querying it. */
  readonly checkDatabase: () => void
  /** @default one of its own */
  readonly countFailedKey?: FailedKeyCount
}

/** @throws ApiError `too_many_failed_keys` */
type FailedKeyCount = (request: FastifyRequest) => void

/** Counts wrong keys and tokens by network. All endpoints share one. */
export function createFailedKeyCount(now: () => Date): FailedKeyCount {
  const limiter = createRateLimiter({ limit: FAILED_KEYS, windowMs: 60_000 })
  return ({ ip }) => {
    const wait = limiter.take(clientNetwork(ip), now())
    if (wait === 0) return
    const detail = `This IP address sent too many invalid keys; wait ${wait} seconds`
    throw new ApiError('too_many_failed_keys', detail, { headers: { 'retry-after': String(wait) } })
  }
}

/**
 * Tests in this order: recovery mode, key present, database, key. Wrong keys of a network are
 * limited, and valid ones pass however many others sent wrong ones. All endpoints share one, so
 * that wrong keys are counted together.
 */
export function createKeyCheck(ports: KeyCheckPorts): KeyCheck {
  const { catalog, mode, now, checkDatabase, countFailedKey = createFailedKeyCount(now) } = ports
  const findCaller = createCallerFinder(catalog, now)

  const awaitCaller = async (request: FastifyRequest, pending: ReturnType<typeof findCaller>) => {
    const caller = await pending
    if (caller !== undefined) return caller
    countFailedKey(request)
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

function keyError(code: 'missing_api_key' | 'invalid_api_key', detail: string): ApiError {
  return new ApiError(code, detail, { headers: { 'www-authenticate': 'ApiKey' } })
}
