import { computeRetryAfter, type Quota, type QuotaState } from '@packs/catalog'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors/api-error.ts'
import { requireCaller } from './caller.ts'

/**
 * The quota of a request: charges it to the caller and sets the `RateLimit` headers. It is not a hook. Routes charge, through
 * `revalidateOrCharge`; the authenticate hook charges only requests for unknown paths.
 */
export interface RequestQuota {
  /** Charges a request. @throws ApiError `quota_exceeded` */
  charge(request: FastifyRequest, reply: FastifyReply): Promise<void>
  /** Sets the headers without charging. */
  peek(request: FastifyRequest, reply: FastifyReply): Promise<QuotaState>
}

export function createRequestQuota(quota: Quota, now: () => Date): RequestQuota {
  return {
    async charge(request, reply) {
      const date = now()
      const state = await quota.take(requireCaller(request).account, date)
      setRateLimitHeaders(reply, state, date)
      if (!state.allowed) throw quotaExceededError(state, computeRetryAfter(state, date))
    },
    async peek(request, reply) {
      const date = now()
      const state = await quota.peek(requireCaller(request).account, date)
      setRateLimitHeaders(reply, state, date)
      return state
    },
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

function quotaExceededError({ limit, resetAt, isFallback }: QuotaState, seconds: number): ApiError {
  const detail = isFallback
    ? `Requests cannot be counted now; until they can, only part of the daily quota of ${limit} is allowed, and it is used up`
    : `All ${limit} requests of this UTC day are used; the quota is reset at ${resetAt.toISOString()}`
  return new ApiError('quota_exceeded', detail, {
    headers: { 'retry-after': String(seconds) },
    members: { 'violated-policies': ['daily'] },
  })
}
