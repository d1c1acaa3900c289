import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { JSON_TYPE, preflightHeaders } from '../http/headers.ts'
import type { ApiPorts } from '../ports.ts'

export const statusSchema: z.ZodObject = z
  .object({
    mode: z.enum(['online', 'recovery']),
    since: z.iso.datetime({ precision: 3 }),
    message: z.string().nullable().describe('Message of the operator'),
    retry_after: z.int().nullable().describe('Seconds to wait before the next request'),
  })
  .meta({ title: 'Status' })

/** Mounts `/api/status`: the operating mode, without a key and also in recovery mode. */
export function mountStatus(app: FastifyInstance, mode: ApiPorts['mode']): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/api/status',
    handler: (_request, reply) =>
      reply
        .headers({ 'cache-control': 'no-store', 'content-type': JSON_TYPE })
        .send(JSON.stringify(statusSchema.parse(mode.current()))),
  })
  app.options('/api/status', (_request, reply) => reply.code(204).headers(preflightHeaders).send())
}
