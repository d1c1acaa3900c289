import * as zlib from 'node:zlib'
import { z } from 'zod'
import { tierRequiredError, logDamaged } from '../errors/api-error.ts'
import { createFairQueue } from '@packs/threads'
import { requireCaller, revalidate } from '../hooks/caller.ts'
import { REVALIDATE, JSON_TYPE, NDJSON_TYPE, prefersType, chooseEncoding } from '../http/headers.ts'
import {
  readCursor,
  writeCursor,
  cursor,
  difficulty,
  domain,
  included,
  parseQuery,
  updatedSince,
  type Included,
} from '../http/parse-query.ts'
import { writeIncompleteTag } from '../response-cache/body.ts'
import type { ApiRoute, RouteContext } from './api-route.ts'
import {
  damagedField,
  fullPackSchema,
  packDocumentSchema,
  packSourceSchema,
  removedPackSchema,
  integer,
  text,
} from './pack-responses.ts'
import type { DocumentName, DocumentReader, DocumentResult } from './pack-responses.ts'
import { writePath } from './send-list.ts'
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { busyError, type Catalog, type Change, type DamagedVersion, type PackQuery } from '@packs/catalog'

/** Pages that are read at the same time, and those that may wait, of all accounts and of one. */
const READS = { running: 2, slots: 64, slotsPerOwner: 16 }

const query = {
  domain: domain.optional(),
  difficulty: difficulty.optional(),
  updated_since: updatedSince.optional(),
  cursor: cursor.optional(),
  include: included.optional(),
}

const entrySchema = z.union([fullPackSchema, packSourceSchema, packDocumentSchema, removedPackSchema])
const pageSchema = z
  .object({
    data: z.array(entrySchema),
    meta: z.object({
      count: integer('Entries in this page, at most 100'),
      next_cursor: z.string().nullable().describe('Cursor of the next page; null on the last page'),
      resume_cursor: z.string().optional().describe('Cursor for later changes; only on the last page'),
      damaged: damagedField,
    }),
  })
  .meta({ title: 'Page of a download' })

export function createDownloadPacksRoute(context: RouteContext): ApiRoute {
  const reads = createFairQueue(READS)
  return {
    path: '/packs/download',
    operationId: 'downloadPacks',
    summary: 'Download packs in bulk',
    description:
      'Up to 100 full packs per page, in the order of their last change; a page ends early at 32 MiB. For Pro accounts. Each page is charged as one request. `Accept: application/x-ndjson` streams one pack per line, with the next cursor in `Link`. A cursor keeps the filters but not `include`, so repeat `include` on each page. With `updated_since` or a resume cursor, removed packs are listed as removed. A damaged pack is omitted and named in `meta.damaged`, or in NDJSON on a line `{slug, version, damaged: true}`.',
    query,
    bodies: {
      'application/json': pageSchema,
      'application/x-ndjson': text('One entry of `data` per line'),
    },
    headers: ['etag', 'link'],
    errorCodes: ['tier_required'],
    async handle(request, reply) {
      const { cursor: given, include, ...filters } = parseQuery(request.url, query)
      const name = JSON.stringify(filters)
      const position =
        given === undefined ? undefined : unpackPosition(readCursor(given, name, context.cursorSecret))
      const { account } = requireCaller(request)
      if (account.tier !== 'pro') throw tierRequiredError('Bulk download needs a Pro account')
      const format = prefersType(request.headers.accept, 'application/x-ndjson') ? 'ndjson' : 'json'
      const content = `${name}${given ?? ''}${include ?? ''}`
      const tag = `${context.writeTag(await context.readSequence(), content, pageSchema)}.${format}`
      const response = { tag, weak: true, caching: REVALIDATE }
      if (await revalidate(context.quota, reply, response)) return reply
      await context.quota.check(reply)
      if (!reads.hasSlot(account.id)) throw busyError(reads.hasSlot(''))
      const source = { ...context, owner: account.id, separator: separators[format], include }
      const page = await reads.run(account.id, async () => {
        const read = await readDownloadPage(source, filters, position)
        await context.quota.charge(reply)
        return read
      })
      logDamaged(context.log, request, page.damaged)
      const next = writeCursor(packPosition(page.next), name, context.cursorSecret)
      reply.headers({
        etag: `W/"${page.damaged.length === 0 ? tag : writeIncompleteTag(tag)}"`,
        'cache-control': REVALIDATE,
        link: `<${writePath('/packs/download', { ...filters, include, cursor: next })}>; rel="${page.hasMore ? 'next' : 'resume'}"`,
      })
      return sendDownloadPage(reply, page, format, next)
    },
  }
}

/** Streams a page, so that only a few of its packs are in memory as text. */
function sendDownloadPage(
  reply: FastifyReply,
  page: DownloadPage,
  format: 'json' | 'ndjson',
  next: string,
): FastifyReply {
  const { headers, method } = reply.request
  reply.type(format === 'json' ? JSON_TYPE : NDJSON_TYPE)
  const meta = {
    count: page.count,
    next_cursor: page.hasMore ? next : null,
    ...(!page.hasMore && { resume_cursor: next }),
    ...(page.damaged.length > 0 && { damaged: page.damaged }),
  }
  const encoding = chooseEncoding(headers['accept-encoding'])
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  if (method === 'HEAD') return reply.send()
  const text = Readable.from(format === 'json' ? writeDocument(page, meta) : writeLines(page), {
    objectMode: false,
  })
  if (encoding === 'identity') return reply.send(text)
  const encoder = createEncoder[encoding]()
  text.on('error', (error) => encoder.destroy(error))
  encoder.on('close', () => text.destroy())
  return reply.send(text.pipe(encoder))
}

const createEncoder = {
  br: () => zlib.createBrotliCompress({ params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: () => zlib.createGzip(),
  zstd: () => zlib.createZstdCompress(),
} as const

const separators = { json: ',', ndjson: '\n' } as const

/** Writes one line for each entry of a page, and one for each damaged pack. */
async function* writeLines(page: DownloadPage): AsyncGenerator<Buffer | string> {
  for await (const chunk of page.chunks()) {
    yield chunk
    yield '\n'
  }
  for (const { slug, version } of page.damaged) yield `${JSON.stringify({ slug, version, damaged: true })}\n`
}

async function* writeDocument(page: DownloadPage, meta: unknown): AsyncGenerator<Buffer | string> {
  let separator = '{"data":['
  for await (const chunk of page.chunks()) {
    yield separator
    yield chunk
    separator = separators.json
  }
  yield `${separator === separators.json ? '' : separator}],"meta":${JSON.stringify(meta)}}`
}

const MAX_PACKS = 100
/** Maximum bytes of documents in a page; the last document may exceed it. */
const MAX_BYTES = 32 * 1024 * 1024
/** Documents of a larger page are read again when they are sent. */
const MAX_HELD_BYTES = 4 * 1024 * 1024
/** Bytes of documents that are serialized together. A larger document is serialized alone. */
const MAX_PART_BYTES = 1024 * 1024

interface DownloadFilters extends Pick<PackQuery, 'domain' | 'difficulty'> {
  readonly updated_since?: string | undefined
}

interface DownloadPage {
  /** Number of entries, without the damaged ones. */
  readonly count: number
  readonly damaged: readonly DamagedVersion[]
  readonly next: CursorPosition
  readonly hasMore: boolean
  /** Yields the entries as bytes to send, with separators within a chunk but not between chunks. */
  chunks(): AsyncGenerator<Buffer>
}

interface DownloadSource {
  readonly catalog: Catalog
  readonly documents: DocumentReader
  readonly owner: string
  readonly separator: string
  readonly include: Included | undefined
}

/**
 * Reads a page in the order of changes. It lists removed packs only if the download has a cursor or
 * `updated_since`, because otherwise the client cannot have them. Every document is checked before
 * the first byte is sent, because the tag of the page depends on the result.
 */
async function readDownloadPage(
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

/** Serializes held parts now, others when they are sent: new damage then aborts the response. */
async function readParts(
  { documents, owner, separator, include }: DownloadSource,
  parts: readonly Part[],
  isHeld: boolean,
): Promise<Pick<DownloadPage, 'damaged' | 'chunks'>> {
  const projection = { tier: 'pro', format: 'json', include } as const
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

function packPosition({ after, since }: CursorPosition): Buffer {
  const position = Buffer.alloc(2 * BYTES_OF_NUMBER)
  position.writeUIntBE(after, 0, BYTES_OF_NUMBER)
  position.writeUIntBE(since, BYTES_OF_NUMBER, BYTES_OF_NUMBER)
  return position
}

function unpackPosition(position: Buffer): CursorPosition {
  return {
    after: position.readUIntBE(0, BYTES_OF_NUMBER),
    since: position.readUIntBE(BYTES_OF_NUMBER, BYTES_OF_NUMBER),
  }
}
