import { Readable } from 'node:stream'
import * as zlib from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { JSON_TYPE, NDJSON_TYPE } from '../../http/headers.ts'
import { chooseEncoding } from '../../http/negotiate.ts'
import type { DownloadPage } from './read-download-page.ts'

/** Streams a page, so that only a few of its packs are in memory as text. */
export function sendDownloadPage(
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

/** What stands between two entries. */
export const separators = { json: ',', ndjson: '\n' } as const

/** Writes a page as one entry per line, and a line for each damaged pack. */
async function* writeLines(page: DownloadPage): AsyncGenerator<Buffer | string> {
  for await (const chunk of page.chunks()) {
    yield chunk
    yield '\n'
  }
  for (const { slug, version } of page.damaged) yield `${JSON.stringify({ slug, version, damaged: true })}\n`
}

/** Writes a page as one JSON document. */
async function* writeDocument(page: DownloadPage, meta: unknown): AsyncGenerator<Buffer | string> {
  let separator = '{"data":['
  for await (const chunk of page.chunks()) {
    yield separator
    yield chunk
    separator = separators.json
  }
  yield `${separator === separators.json ? '' : separator}],"meta":${JSON.stringify(meta)}}`
}
