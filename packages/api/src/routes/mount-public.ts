import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, RouteHandlerMethod } from 'fastify'
import { z } from 'zod'
import type { Catalog } from '@packs/catalog'
import { ApiError, sendProblem } from '../errors/api-error.ts'
import { corsHeaders, JSON_TYPE, preflightHeaders } from '../http/headers.ts'
import { parseQuery, wholeNumber } from '../http/parse-query.ts'
import type { ApiPorts } from '../ports.ts'
import { formatEtag } from '../response-cache/body.ts'
import { purgeSchema } from './pack-responses.ts'

export const KEYS_PATH = '/.well-known/packs-keys.json'

const keyText = z.string().meta({ maxLength: 43 })

export const keysSchema: z.ZodObject = z
  .object({
    keys: z.array(
      z.object({
        kid: keyText.describe('Id of the key: its JWK thumbprint'),
        kty: z.literal('OKP'),
        crv: z.literal('Ed25519'),
        x: keyText.describe('The public key, 32 bytes in base64url'),
        status: z
          .enum(['active', 'retired', 'revoked'])
          .describe('Signatures of a retired key remain valid; those of a revoked key are worthless'),
        name: z.string().optional(),
        revoked_at: z.string().optional(),
        reason: z.string().optional(),
      }),
    ),
  })
  .meta({ title: 'Keys that sign packs' })

/** Mounts a path that needs no API key and is available in recovery mode. */
function mountPublic(app: FastifyInstance, url: string, handler: RouteHandlerMethod): void {
  app.route({ method: ['GET', 'HEAD'], url, handler })
  const headers = { ...corsHeaders, ...preflightHeaders }
  app.options(url, (_request, reply) => reply.code(204).headers(headers).send())
}

function sendUncached(reply: FastifyReply, value: object): FastifyReply {
  return reply.headers({ 'cache-control': 'no-store', 'content-type': JSON_TYPE }).send(JSON.stringify(value))
}

export function mountKeys(app: FastifyInstance, readKeys: NonNullable<ApiPorts['readKeys']>): void {
  mountPublic(app, KEYS_PATH, async (_request, reply) => {
    reply.headers(corsHeaders)
    const document = await readKeys()
    if (document === undefined) {
      const detail = 'This catalog publishes no keys. Ask the publisher of the packs for the id of their key'
      return sendProblem(reply, new ApiError('not_found', detail))
    }
    const text = JSON.stringify(keysSchema.parse(document))
    const body = { tag: hash('sha256', text, 'base64url').slice(0, 22), weak: true }
    reply.headers({ etag: formatEtag(body, undefined), 'cache-control': 'public, max-age=300' })
    return reply.header('content-type', JSON_TYPE).send(text)
  })
}

export const purgedSchema: z.ZodObject = z
  .object({
    data: z.array(purgeSchema),
    meta: z.object({
      next: z.int().describe('Value of `after` for later purges'),
      more: z.boolean().describe('Whether there are more by now'),
    }),
  })
  .meta({ title: 'Purged versions' })

export const purgedQuery: { readonly after: z.ZodType<number> } = {
  after: wholeNumber(0, 999_999_999_999)
    .default(0)
    .describe('`meta.next` of the last response, for later purges only'),
}

/** Purges of a response. */
const MAX_PURGES = 1000

/** Mounts `/api/purged`, of which clients delete their copies. */
export function mountPurged(app: FastifyInstance, { packs, results }: Catalog, mode: ApiPorts['mode']): void {
  mountPublic(app, '/api/purged', async (request, reply) => {
    const { after } = parseQuery(request.url, purgedQuery)
    const read = (): ReturnType<typeof packs.purges> => packs.purges({ after, limit: MAX_PURGES })
    const data = await results.obtain(`purged ${after}`, await mode.sequence(), read)
    const meta = { next: data.at(-1)?.sequence ?? after, more: data.length === MAX_PURGES }
    return sendUncached(reply, purgedSchema.parse({ data, meta }))
  })
}

export const statusSchema: z.ZodObject = z
  .object({
    mode: z.enum(['online', 'recovery']),
    since: z.iso.datetime({ precision: 3 }),
    message: z.string().nullable().describe('Message from the operator'),
    retry_after: z.int().nullable().describe('Seconds to wait before the next request'),
  })
  .meta({ title: 'Status' })

/** Mounts `/api/status`, the operating mode. */
export function mountStatus(app: FastifyInstance, mode: ApiPorts['mode']): void {
  mountPublic(app, '/api/status', (_request, reply) =>
    sendUncached(reply, statusSchema.parse(mode.current())),
  )
}
