import type { FastifyRequest } from 'fastify'

/** Does a request announce a body that is not empty. */
export function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0
}
