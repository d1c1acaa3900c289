import { createHmac, hash } from 'node:crypto'

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
  const era = createHmac('sha256', secret).update('tags').digest('base64url')
  return (sequence, what) =>
    `${sequence.toString(36)}.${hash('sha256', `${era} ${what}`, 'base64url').slice(0, 16)}`
}
