import { createDecoder } from '@packs/codec'

/** Units of content decoded at a time. */
const CHUNK_LENGTH = 16_384

/** The beginning of a decoded text. */
export interface Beginning {
  readonly text: string
  /** Whether there is more than `text`. */
  readonly isTruncated: boolean
}

/**
 * Decodes a content until `limit` UTF-16 units are there, and cuts after the last whole line of them.
 *
 * @throws CodecError for a header that is not allowed
 */
export function decodeBeginning(content: string, rosetta: string, limit: number): Beginning {
  const decoder = createDecoder(rosetta)
  let text = ''
  for (let at = 0; at < content.length && text.length <= limit; at += CHUNK_LENGTH) {
    text += decoder.push(content.slice(at, at + CHUNK_LENGTH))
  }
  if (text.length <= limit) text += decoder.end()
  if (text.length <= limit) return { text, isTruncated: false }
  const line = text.lastIndexOf('\n', limit - 1)
  return { text: text.slice(0, line > limit / 2 ? line + 1 : limit), isTruncated: true }
}
