import { z } from 'zod'
import { requireCaller } from '../hooks/caller.ts'
import { JSON_TYPE, REVALIDATE } from '../http/headers.ts'
import { parseQuery } from '../http/parse-query.ts'
import { createBody } from '../response-cache/body.ts'
import { findMatchingEtag } from '../response-cache/etag.ts'
import { sendBody, sendNotModified } from '../response-cache/send-body.ts'
import type { ApiRoute, RouteContext } from './api-route.ts'

const usageSchema = z
  .object({
    tier: z.enum(['free', 'pro']),
    limit: z.int().describe('Requests per UTC day, for all keys of the account together'),
    used: z.int(),
    remaining: z.int(),
    reset_at: z.iso.datetime({ precision: 3 }).describe('Start of the next UTC day, RFC 3339'),
  })
  .meta({ title: 'Usage of the day' })

/** `GET /usage`: the account's quota of the day. */
export function createGetUsageRoute({ quota }: RouteContext): ApiRoute {
  return {
    path: '/usage',
    operationId: 'getUsage',
    summary: 'Get the remaining quota',
    description: 'Not charged, and available when the quota is used up.',
    parameters: {},
    query: {},
    bodies: { 'application/json': usageSchema },
    headers: ['etag', 'content-digest'],
    errorCodes: [],
    async handle(request, reply) {
      parseQuery(request.url, {})
      const { tier } = requireCaller(request).account
      const { limit, used, remaining, resetAt } = await quota.peek(request, reply)
      const usage = usageSchema.parse({ tier, limit, used, remaining, reset_at: resetAt.toISOString() })
      const tag = [tier, limit, used, resetAt.getTime().toString(36)].join('.')
      const etag = findMatchingEtag(request, { tag, weak: true })
      if (etag !== undefined) return sendNotModified(reply, etag, REVALIDATE)
      const body = createBody({ text: JSON.stringify(usage), type: JSON_TYPE, tag, weak: true })
      return sendBody(request, reply, body, REVALIDATE)
    },
  }
}
