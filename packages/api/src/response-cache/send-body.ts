import type { FastifyReply, FastifyRequest } from 'fastify'
import { matchesEtag } from './matches-etag.ts'
import { chooseEncoding } from '../http/negotiate.ts'
import type { Body, BodySource, EncodedBody } from './body.ts'
import { writeEtag } from './write-etag.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'
export const MARKDOWN_TYPE = 'text/markdown; charset=utf-8'
export const NDJSON_TYPE = 'application/x-ndjson; charset=utf-8'

/** To be asked again each time, by the caller alone. */
export const REVALIDATE = 'private, no-cache'
/** Never changes, so that it need not be asked for again. */
export const IMMUTABLE = 'private, max-age=31536000, immutable'

/** Answers with a body, encoded as the client likes it best. */
export function sendBody(
  request: FastifyRequest,
  reply: FastifyReply,
  body: Body,
  caching: string,
): FastifyReply | Promise<FastifyReply> {
  const encoded = body.encode(chooseEncoding(request.headers['accept-encoding']))
  reply.header('etag', writeEtag(body, request.headers['accept-encoding']))
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

/** The tag of a body where the client says that it has that very one. */
export function findKnownEtag(
  { headers }: FastifyRequest,
  named: Pick<BodySource, 'tag' | 'weak'>,
): string | undefined {
  if (headers['if-none-match'] === undefined) return undefined
  const etag = writeEtag(named, headers['accept-encoding'])
  return matchesEtag(headers['if-none-match'], etag) ? etag : undefined
}

/** Answers that what the client has is right. @param etag that of the body */
export function sendNotModified(reply: FastifyReply, etag: string, caching: string): FastifyReply {
  return reply.code(304).headers({ etag, 'cache-control': caching }).send()
}
