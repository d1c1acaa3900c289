import { createDecoder } from '@packs/codec'

/** UTF-16 units of content that are decoded at a time. */
const CHUNK_LENGTH = 16_384

/** The beginning of a decoded text. */
export interface Beginning {
  readonly text: string
  /** Whether the decoded text is longer than `text`. */
  readonly isTruncated: boolean
}

/**
 * Decodes up to `limit` UTF-16 units, and cuts after their last whole line, unless that would drop half of them.
 *
 * @throws CodecError if the header is not valid
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
