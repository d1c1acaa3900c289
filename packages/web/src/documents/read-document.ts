import { openDocument, type Catalog } from '@packs/catalog'
import { createDecoder, decode } from '@packs/codec'

/** What of a pack a visitor may see. */
export type Scope = 'full' | 'preview'

/** A part of a document to read. */
export interface DocumentTask {
  readonly sequence: number
  readonly part: 'beginning' | 'text' | 'document'
  readonly scope: Scope
}

/** The beginning of a decoded text. */
export interface Beginning {
  readonly text: string
  /** Whether the decoded text is longer than `text`. */
  readonly isTruncated: boolean
}

/** What the page of a pack shows of its document. */
export interface DocumentBeginning extends Beginning {
  /** Beginning of the decoder header; empty for a preview. */
  readonly header: string
  readonly isHeaderTruncated: boolean
}

/** The beginning, or the bytes of the text or document. */
export type DocumentPart =
  | { readonly beginning: DocumentBeginning; readonly bytes?: undefined }
  | { readonly bytes: Uint8Array; readonly beginning?: undefined }

/** UTF-16 units of content that are decoded at a time. */
const CHUNK_LENGTH = 16_384
/** UTF-16 units of decoded text that a page shows. */
const MAX_TEXT = 100_000
/** UTF-16 units of the header that a page shows. The download has all of it. */
const MAX_HEADER = 20_000

/**
 * Reads a part of a document, which may be large.
 *
 * @throws CatalogError `catalog_damaged` if the document is not what was committed
 * @throws CodecError if it cannot be decoded
 */
export async function readDocument(
  { packs }: Catalog,
  { sequence, part, scope }: DocumentTask,
): Promise<DocumentPart> {
  const version = await packs.read(sequence)
  if (version === undefined) throw new Error('A version that was found no longer exists')
  const pack = openDocument(version)
  if (part === 'document') return { bytes: version.document }
  const content = scope === 'full' ? pack.content : pack.preview_content
  if (part === 'text') return { bytes: Buffer.from(decode(content, pack.rosetta)) }
  return {
    beginning: {
      ...decodeBeginning(content, pack.rosetta, MAX_TEXT),
      header: scope === 'full' ? pack.rosetta.slice(0, MAX_HEADER) : '',
      isHeaderTruncated: pack.rosetta.length > MAX_HEADER,
    },
  }
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
