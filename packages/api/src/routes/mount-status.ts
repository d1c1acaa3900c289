import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { JSON_TYPE, preflightHeaders } from '../http/headers.ts'
import type { ApiPorts } from '../ports.ts'

export const statusSchema: z.ZodObject = z
  .object({
    mode: z.enum(['online', 'recovery']),
    since: z.iso.datetime({ precision: 3 }),
    message: z.string().nullable().describe('What the operator says about it'),
    retry_after: z.int().nullable().describe('Seconds after which asking again makes sense'),
  })
  .meta({ title: 'Status' })

/** Mounts `/api/status`, which tells the mode without a key, in recovery mode too. */
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
