import { z } from 'zod'
import { tierRequiredError } from '../../errors/api-error.ts'
import { createFairQueue } from '@packs/threads'
import { requireCaller, revalidateOrCharge } from '../../hooks/caller.ts'
import { REVALIDATE, JSON_TYPE, NDJSON_TYPE, prefersType, chooseEncoding } from '../../http/headers.ts'
import { cursor, difficulty, domain, included, parseQuery, updatedSince } from '../../http/parse-query.ts'
import { writeIncompleteTag } from '../../response-cache/etag.ts'
import type { ApiRoute, RouteContext } from '../api-route.ts'
import { readCursor, writeCursor, readDownloadPage, type DownloadPage } from './read-download-page.ts'
import { logDamaged } from '../../errors/send-problem.ts'
import { damagedField, fullPackSchema, packDocumentSchema, removedPackSchema } from '../pack-responses.ts'
import { writePath } from '../send-list.ts'
import { Readable } from 'node:stream'
import * as zlib from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

const MAX_CONCURRENT_READS = 2

const query = {
  domain: domain.optional(),
  difficulty: difficulty.optional(),
  updated_since: updatedSince.optional(),
  cursor: cursor.optional(),
  include: included.optional(),
}

const entrySchema = z.union([fullPackSchema, packDocumentSchema, removedPackSchema])
const pageSchema = z
  .object({
    data: z.array(entrySchema),
    meta: z.object({
      count: z.int().describe('Entries in this page, at most 100'),
      next_cursor: z.string().nullable().describe('Cursor of the next page; null on the last page'),
      resume_cursor: z.string().optional().describe('Cursor for later changes; only on the last page'),
      damaged: damagedField,
    }),
  })
  .meta({ title: 'Page of a download' })

/** `GET /packs/download`: downloads full packs in bulk, for Pro accounts. */
export function createDownloadPacksRoute(context: RouteContext): ApiRoute {
  const reads = createFairQueue({ running: MAX_CONCURRENT_READS })
  return {
    path: '/packs/download',
    operationId: 'downloadPacks',
    summary: 'Download packs in bulk',
    description:
      'Up to 100 full packs per page, in the order of their last change; a page ends early at 32 MiB. For Pro accounts. Each page is charged as one request. `Accept: application/x-ndjson` streams one pack per line, with the next cursor in `Link`. A cursor keeps the filters but not `include`, so repeat `include` on each page. With `updated_since` or a resume cursor, removed packs are listed as removed. A damaged pack is omitted and named in `meta.damaged`, or in NDJSON on a line `{slug, version, damaged: true}`.',
    parameters: {},
    query,
    bodies: {
      'application/json': pageSchema,
      'application/x-ndjson': z.string().describe('One entry of `data` per line'),
    },
    headers: ['etag', 'link'],
    errorCodes: ['tier_required'],
    async handle(request, reply) {
      const { cursor: given, include, ...filters } = parseQuery(request.url, query)
      const name = JSON.stringify(filters)
      const position = given === undefined ? undefined : readCursor(given, name, context.cursorSecret)
      const { account } = requireCaller(request)
      if (account.tier !== 'pro') throw tierRequiredError('Bulk download needs a Pro account')
      const format = prefersType(request.headers.accept, 'application/x-ndjson') ? 'ndjson' : 'json'
      const content = `${name}${given ?? ''}${include ?? ''}`
      const tag = `${context.writeTag(await context.readSequence(), content, pageSchema)}.${format}`
      const response = { tag, weak: true, caching: REVALIDATE }
      if (await revalidateOrCharge(context.quota, request, reply, response)) return reply
      const source = {
        ...context,
        owner: account.id,
        separator: separators[format],
        isDocument: include === 'document',
      }
      const page = await reads.run(account.id, () => readDownloadPage(source, filters, position))
      logDamaged(context.log, request, page.damaged)
      const next = writeCursor(page.next, name, context.cursorSecret)
      reply.headers({
        etag: `W/"${page.damaged.length === 0 ? tag : writeIncompleteTag(tag)}"`,
        'cache-control': REVALIDATE,
        link: `<${writePath('/packs/download', { ...filters, include, cursor: next })}>; rel="${page.hasMore ? 'next' : 'resume'}"`,
      })
      return sendDownloadPage(request, reply, page, format, next)
    },
  }
}

/** Streams a page, so that only a few of its packs are in memory as text. */
function sendDownloadPage(
  request: FastifyRequest,
  reply: FastifyReply,
  page: DownloadPage,
  format: 'json' | 'ndjson',
  next: string,
): FastifyReply {
  reply.type(format === 'json' ? JSON_TYPE : NDJSON_TYPE)
  const meta = {
    count: page.count,
    next_cursor: page.hasMore ? next : null,
    ...(!page.hasMore && { resume_cursor: next }),
    ...(page.damaged.length > 0 && { damaged: page.damaged }),
  }
  const encoding = chooseEncoding(request.headers['accept-encoding'])
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  if (request.method === 'HEAD') return reply.send()
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
