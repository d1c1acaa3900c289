import { computeRetryAfter, type Quota, type QuotaState, type RateLimiter } from '@packs/catalog'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors/api-error.ts'
import { requireCaller } from './caller.ts'

/**
 * The quota of a request: charges it to the caller and sets the `RateLimit` headers. It is not a hook. Routes charge, through
 * `revalidateOrCharge`; the authenticate hook charges only requests for unknown paths.
 */
export interface RequestQuota {
  /** Charges a request, as several requests if `count` says so: all of them or none. @throws ApiError `quota_exceeded` */
  charge(request: FastifyRequest, reply: FastifyReply, count?: number): Promise<void>
  /** Sets the headers without charging. */
  peek(request: FastifyRequest, reply: FastifyReply): Promise<QuotaState>
  /** Counts a request that is not charged. Returns 0, or the seconds to wait where the account has sent too many of them. */
  takeFree(request: FastifyRequest): number
}

export function createRequestQuota(quota: Quota, freeRequests: RateLimiter, now: () => Date): RequestQuota {
  return {
    async charge(request, reply, count = 1) {
      const date = now()
      const state = await quota.take(requireCaller(request).account, date, count)
      setRateLimitHeaders(reply, state, date)
      if (!state.allowed) throw quotaExceededError(state, count, computeRetryAfter(state, date))
    },
    async peek(request, reply) {
      const date = now()
      const state = await quota.peek(requireCaller(request).account, date)
      setRateLimitHeaders(reply, state, date)
      return state
    },
    takeFree: (request) => freeRequests.take(requireCaller(request).account.id, now()),
  }
}

/** The format is that of draft-ietf-httpapi-ratelimit-headers. */
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
  const reset = `the quota is reset at ${resetAt.toISOString()}`
  const shortage =
    remaining > 0
      ? `This request is charged as ${count}, and only ${remaining} of the ${limit} requests of this UTC day are left, so it was not charged`
      : `All ${limit} requests of this UTC day are used`
  const detail = isFallback
    ? `Requests cannot be counted now; until they can, only part of the daily quota of ${limit} is allowed, and ${remaining > 0 ? 'too little of it is left' : 'it is used up'}`
    : `${shortage}; ${reset}`
  return new ApiError('quota_exceeded', detail, {
    headers: { 'retry-after': String(seconds) },
    members: { 'violated-policies': ['daily'] },
  })
}
