import { createHmac, hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { chooseEncoding } from '../http/negotiate.ts'
import type { BodySource } from './body.ts'

/** Writes the tag of an answer that follows from the whole catalog: of a list, a history, a page of a download. */
export type TagWriter = (sequence: number, what: string) => string

/**
 * Creates a writer of tags. The secret is in them as a restored catalog counts its changes on from the backup: what has the
 * same sequence as before is something else, and the secret was renewed then.
 *
 * @param secret that of cursors
 */
export function createTagWriter(secret: Uint8Array): TagWriter {
  // What differs after a restore, and tells nothing of the secret; hashing it at once costs a tenth of an HMAC for each tag.
  const epoch = createHmac('sha256', secret).update('tags').digest('base64url')
  return (sequence, what) =>
    `${sequence.toString(36)}.${hash('sha256', `${epoch} ${what}`, 'base64url').slice(0, 16)}`
}

/**
 * The tag of a body as a client gets it. A strong one names bytes, so that each encoding which clients ask for has its own,
 * also where the body is too small to be encoded; a weak one names what is said, in any encoding.
 *
 * @param accepted `Accept-Encoding` of the request
 */
export function formatEtag(
  { tag, weak }: Pick<BodySource, 'tag' | 'weak'>,
  accepted: string | undefined,
): string {
  if (weak) return `W/"${tag}"`
  const encoding = chooseEncoding(accepted)
  return encoding === 'identity' ? `"${tag}"` : `"${tag}-${encoding}"`
}

/**
 * Does `If-None-Match` name the tag of the body that would be sent, weak or strong as the client wrote it (RFC 9110,
 * section 8.8.3.2). `*` names none.
 *
 * @param etag as in the header field `ETag`
 */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  const wanted = etag.replace(/^W\//, '')
  for (const [tag] of header.matchAll(/"[\x21\x23-\x7e\x80-\xff]*"/g)) if (tag === wanted) return true
  return false
}

/** The tag of a body where the client says that it has that very one. */
export function findMatchingEtag(
  { headers }: FastifyRequest,
  body: Pick<BodySource, 'tag' | 'weak'>,
): string | undefined {
  if (headers['if-none-match'] === undefined) return undefined
  const etag = formatEtag(body, headers['accept-encoding'])
  return matchesEtag(headers['if-none-match'], etag) ? etag : undefined
}
