import type { FastifyReply, FastifyRequest } from 'fastify'
import { chooseEncoding } from '../http/negotiate.ts'
import type { Body, EncodedBody } from './body.ts'
import { formatEtag } from './etag.ts'

/** Sends a body in the encoding that the client prefers. */
export function sendBody(
  request: FastifyRequest,
  reply: FastifyReply,
  body: Body,
  caching: string,
): FastifyReply | Promise<FastifyReply> {
  const encoded = body.encode(chooseEncoding(request.headers['accept-encoding']))
  reply.header('etag', formatEtag(body, request.headers['accept-encoding']))
  if (encoded instanceof Promise) return encoded.then((ready) => send(reply, body, ready, caching))
  return send(reply, body, encoded, caching)
}

function send(reply: FastifyReply, body: Body, encoded: EncodedBody, caching: string): FastifyReply {
  reply.header('content-type', body.type)
  reply.header('cache-control', caching)
  reply.header('content-digest', encoded.digest)
  if (encoded.encoding !== 'identity') reply.header('content-encoding', encoded.encoding)
  if (body.link !== undefined) reply.header('link', body.link)
  return reply.send(encoded.bytes)
}

/** Sends 304. @param etag of the body */
export function sendNotModified(reply: FastifyReply, etag: string, caching: string): FastifyReply {
  return reply.code(304).headers({ etag, 'cache-control': caching }).send()
}
