import type { Catalog, Change, DamagedVersion, PackQuery } from '@packs/catalog'
import { removedPackSchema } from '../pack-responses.ts'
import type { DocumentName, DocumentReader, DocumentResult } from '../project-documents.ts'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { invalidParametersError } from '../../errors/api-error.ts'

const MAX_PACKS = 100
/** Maximum bytes of documents in a page; the last document may exceed it. */
const MAX_BYTES = 32 * 1024 * 1024
/**
 * Maximum bytes of documents that a page keeps in memory. A larger page reads each document again
 * when sending it.
 */
const MAX_HELD_BYTES = 4 * 1024 * 1024
/** Bytes of documents that are serialized together. A larger document is serialized alone. */
const MAX_PART_BYTES = 1024 * 1024

export interface DownloadFilters extends Pick<PackQuery, 'domain' | 'difficulty'> {
  readonly updated_since?: string | undefined
}

/** A download page, and the position of the next one. */
export interface DownloadPage {
  /** Number of entries, without the damaged ones. */
  readonly count: number
  readonly damaged: readonly DamagedVersion[]
  readonly next: CursorPosition
  readonly hasMore: boolean
  /** Yields the entries as bytes to send, with separators within a chunk but not between chunks. */
  chunks(): AsyncGenerator<Buffer>
}

export interface DownloadSource {
  readonly catalog: Catalog
  readonly documents: DocumentReader
  readonly owner: string
  readonly separator: string
  /** Whether packs are sent with every field of their documents. */
  readonly isDocument: boolean
}

/**
 * Reads a page in the order of changes. It lists removed packs only if the download has a cursor or
 * `updated_since`, because otherwise the client cannot have them.
 *
 * Every document is checked before the first byte is sent, because the tag of the page depends on
 * the result.
 */
export async function readDownloadPage(
  source: DownloadSource,
  filters: DownloadFilters,
  position: CursorPosition | undefined,
): Promise<DownloadPage> {
  const { catalog } = source
  const isFirst = position === undefined
  const since = position?.since ?? (filters.updated_since === undefined ? await catalog.sequence() : 0)
  const page = await catalog.packs.changes({
    after: position?.after ?? 0,
    since: filters.updated_since,
    domain: filters.domain,
    difficulty: filters.difficulty,
    removals: !isFirst || filters.updated_since !== undefined,
    limit: MAX_PACKS,
    maxBytes: MAX_BYTES,
  })
  const wanted = page.changes.filter((change) => !change.removed || change.sequence > since)
  const listed = wanted.filter((change) => !isDamagedRemoval(change))
  const removals = wanted.filter(isDamagedRemoval).map(({ slug }) => ({ slug, version: null }))
  const bytes = listed.reduce((sum, change) => sum + (change.removed ? 0 : change.version.bytes), 0)
  const read = await readParts(source, splitChanges(listed), bytes <= MAX_HELD_BYTES)
  return {
    count: listed.length - read.damaged.length,
    damaged: [...page.damaged, ...removals, ...read.damaged],
    // After the last page, the client needs the removals from here on.
    next: { after: page.last, since: page.more ? since : page.last },
    hasMore: page.more,
    chunks: read.chunks,
  }
}

type Removal = Extract<Change, { removed: true }>

function isDamagedRemoval(change: Change): change is Removal {
  return change.removed && !removedPackSchema.safeParse(change).success
}

type Part = { readonly removed: Buffer } | { readonly documents: DocumentName[]; bytes: number }

function splitChanges(changes: readonly Change[]): readonly Part[] {
  const parts: Part[] = []
  for (const change of changes) {
    if (change.removed) {
      parts.push({ removed: Buffer.from(JSON.stringify(removedPackSchema.parse(change))) })
      continue
    }
    const { sequence, updated_at, bytes } = change.version
    const last = parts.at(-1)
    if (last !== undefined && 'documents' in last && last.bytes + bytes <= MAX_PART_BYTES) {
      last.documents.push({ sequence, updated_at })
      last.bytes += bytes
    } else parts.push({ documents: [{ sequence, updated_at }], bytes })
  }
  return parts
}

/**
 * Checks all parts now. Held parts are also serialized now, others when they are sent: a document
 * damaged in between aborts the response.
 */
async function readParts(
  { documents, owner, separator, isDocument }: DownloadSource,
  parts: readonly Part[],
  isHeld: boolean,
): Promise<Pick<DownloadPage, 'damaged' | 'chunks'>> {
  const projection = { tier: 'pro', format: 'json', isDocument } as const
  const run = (names: readonly DocumentName[], isCheck: boolean, isBegun: boolean): Promise<DocumentResult> =>
    documents.run({ documents: names, projection, separator, isCheck }, { owner, isBegun })

  const results: (DocumentResult | undefined)[] = []
  for (const part of parts)
    results.push('removed' in part ? undefined : await run(part.documents, !isHeld, false))
  return {
    damaged: results.flatMap((result) => result?.damaged ?? []),
    async *chunks() {
      for (const [at, part] of parts.entries()) {
        if ('removed' in part) {
          yield part.removed
          continue
        }
        const checked = results[at]!
        const { bytes, damaged } = isHeld ? checked : await run(part.documents, false, true)
        if (damaged.length !== checked.damaged.length)
          throw new Error('A document was damaged while it was being sent')
        if (bytes.length > 0) yield bytes
      }
    },
  }
}

interface CursorPosition {
  /** Sequence of the last change that the client has. */
  readonly after: number
  /** Packs removed after this sequence are listed, because the client may have them. */
  readonly since: number
}

const BYTES_OF_NUMBER = 6
const BYTES_OF_SIGNATURE = 16

/**
 * Writes a cursor: a position in a download, signed together with its filters.
 *
 * @param filters serialized; equal filters must give equal text
 */
export function writeCursor({ after, since }: CursorPosition, filters: string, secret: Uint8Array): string {
  const position = Buffer.alloc(2 * BYTES_OF_NUMBER)
  position.writeUIntBE(after, 0, BYTES_OF_NUMBER)
  position.writeUIntBE(since, BYTES_OF_NUMBER, BYTES_OF_NUMBER)
  return `${position.toString('base64url')}.${sign(position, filters, secret).toString('base64url')}`
}

/**
 * Reads a cursor.
 *
 * @throws ApiError `invalid_parameter` if it was not written for these filters
 */
export function readCursor(cursor: string, filters: string, secret: Uint8Array): CursorPosition {
  const parts = cursor.split('.').map((part) => Buffer.from(part, 'base64url'))
  const [position, signature] = parts
  const isCanonical = parts.map((bytes) => bytes.toString('base64url')).join('.') === cursor
  const isWhole =
    isCanonical && position?.length === 2 * BYTES_OF_NUMBER && signature?.length === BYTES_OF_SIGNATURE
  if (!isWhole || !timingSafeEqual(signature, sign(position, filters, secret))) {
    const detail =
      'is not a cursor of this service, or belongs to other filters; send the same filters as in the first request'
    throw invalidParametersError([{ parameter: 'cursor', detail }])
  }
  return {
    after: position.readUIntBE(0, BYTES_OF_NUMBER),
    since: position.readUIntBE(BYTES_OF_NUMBER, BYTES_OF_NUMBER),
  }
}

function sign(position: Buffer, filters: string, secret: Uint8Array): Buffer {
  return createHmac('sha256', secret)
    .update(position)
    .update(filters)
    .digest()
    .subarray(0, BYTES_OF_SIGNATURE)
}
