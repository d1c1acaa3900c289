import { createHmac, hash } from 'node:crypto'
import type { FastifyRequest, FastifyReply } from 'fastify'
import { z } from 'zod'
import { chooseEncoding } from '../http/headers.ts'
import type { BodySource, Body, EncodedBody } from './body.ts'

/**
 * Returns the tag of a response that depends on the whole catalog: a list, a history or a download
 * page. The tag also depends on the schema of the body.
 */
export type TagWriter = (sequence: number, content: string, schema: z.ZodType) => string

/**
 * Creates a writer of tags, which depend on the sequence number and the secret. After a restore the
 * same number may mean different content, so a restore renews the secret and with it all tags.
 *
 * @param secret the secret of cursors
 */
export function createTagWriter(secret: Uint8Array): TagWriter {
  // Derived from the secret without revealing it. Hashing with it costs a tenth of an HMAC for each tag.
  const epoch = createHmac('sha256', secret).update('tags').digest('base64url')
  return (sequence, content, schema) => {
    const text = `${epoch} ${identifyFormat(schema)} ${content}`
    return `${sequence.toString(36)}.${hash('sha256', text, 'base64url').slice(0, 16)}`
  }
}

type Tagged = Pick<BodySource, 'tag' | 'weak'>

const formats = new WeakMap<z.ZodType, string>()

/**
 * Returns a string that changes with the schema of a body. Without it, after an upgrade that adds a
 * field, clients would get 304 for a body that the older program sent.
 */
export function identifyFormat(schema: z.ZodType): string {
  const known = formats.get(schema)
  if (known !== undefined) return known
  const text = JSON.stringify(z.toJSONSchema(schema, { io: 'output' }))
  const format = hash('sha256', text, 'base64url').slice(0, 6)
  formats.set(schema, format)
  return format
}

/**
 * Returns the tag of a page from which damaged packs were omitted. It never matches a later
 * request, so the client gets the page instead of a 304, even after the packs were repaired.
 */
export function writeIncompleteTag(tag: string): string {
  return `${tag}.incomplete`
}

/**
 * Returns the `ETag` of a body. A strong tag identifies bytes, so each negotiated encoding has its
 * own, even if the body is too small to be encoded. A weak tag identifies the content in any
 * encoding.
 *
 * @param accepted `Accept-Encoding` of the request
 */
export function formatEtag({ tag, weak }: Tagged, accepted: string | undefined): string {
  if (weak) return `W/"${tag}"`
  const encoding = chooseEncoding(accepted)
  return encoding === 'identity' ? `"${tag}"` : `"${tag}-${encoding}"`
}

/** Returns the `ETag` of a body if `If-None-Match` contains it. */
export function findMatchingEtag({ headers }: FastifyRequest, body: Tagged): string | undefined {
  if (headers['if-none-match'] === undefined) return undefined
  const etag = formatEtag(body, headers['accept-encoding'])
  return matchesEtag(headers['if-none-match'], etag) ? etag : undefined
}

/** Compares weakly (RFC 9110, section 8.8.3.2); `*` does not match anything. */
function matchesEtag(header: string, etag: string): boolean {
  const wanted = etag.replace(/^W\//, '')
  for (const [tag] of header.matchAll(/"[\x21\x23-\x7e\x80-\xff]*"/g)) if (tag === wanted) return true
  return false
}

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

/**
 * Sends 304.
 *
 * @param etag of the body
 */
export function sendNotModified(reply: FastifyReply, etag: string, caching: string): FastifyReply {
  return reply.code(304).headers({ etag, 'cache-control': caching }).send()
}
