import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Mounts a page at a path, for those too who ask for its headers alone. */
export function addPage<Params = unknown>(
  app: FastifyInstance,
  url: string,
  handler: (
    request: FastifyRequest<{ Params: Params }>,
    reply: FastifyReply,
  ) => Promise<FastifyReply> | FastifyReply,
): void {
  app.route<{ Params: Params }>({ method: ['GET', 'HEAD'], url, handler })
}
