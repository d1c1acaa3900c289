import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RequestQuota } from '../hooks/quota.ts'
import { findMatchingEtag } from '../response-cache/etag.ts'
import { sendNotModified } from '../response-cache/send-body.ts'

/** The response that the client may have already. */
interface Revalidation {
  readonly tag: string
  readonly weak: boolean
  /** Value of `Cache-Control`. */
  readonly caching: string
  /** Further header fields of a 304. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/**
 * Sends 304 if the client has the response already, else charges the request. This is the policy of all charged routes: a 304
 * is free, and sent even when the quota is used up, but beyond 60 a minute it is charged as one request; everything else is charged,
 * also a 404. A route calls this after it has
 * checked the parameters and the tier, because those errors are not charged, and before it reads or creates the body.
 *
 * @param count requests that it is charged as
 * @returns whether 304 was sent
 * @throws ApiError `quota_exceeded`
 */
export async function revalidateOrCharge(
  quota: RequestQuota,
  request: FastifyRequest,
  reply: FastifyReply,
  response: Revalidation,
  count = 1,
): Promise<boolean> {
  const etag = findMatchingEtag(request, response)
  if (etag === undefined) {
    await quota.charge(request, reply, count)
    return false
  }
  if (quota.takeFree(request) > 0) await quota.charge(request, reply)
  else await quota.peek(request, reply)
  sendNotModified(reply.headers(response.headers ?? {}), etag, response.caching)
  return true
}
