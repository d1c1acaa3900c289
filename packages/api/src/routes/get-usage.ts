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
    limit: z.int().describe('Requests a UTC day, of all keys of the account together'),
    used: z.int(),
    remaining: z.int(),
    reset_at: z.iso.datetime({ precision: 3 }).describe('When the next day begins, RFC 3339, UTC'),
  })
  .meta({ title: 'Usage of the day' })

/** `GET /usage`: what is left of the day's allowance. */
export function createGetUsageRoute({ quota }: RouteContext): ApiRoute {
  return {
    path: '/usage',
    operationId: 'getUsage',
    summary: 'See what is left of the day',
    description: 'Free of charge, also when the allowance is spent.',
    parameters: {},
    query: {},
    bodies: { 'application/json': usageSchema },
    headers: ['etag', 'content-digest'],
    revalidates: true,
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
