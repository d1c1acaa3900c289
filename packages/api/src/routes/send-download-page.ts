import { Readable } from 'node:stream'
import * as zlib from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { JSON_TYPE, NDJSON_TYPE } from '../http/headers.ts'
import { chooseEncoding } from '../http/negotiate.ts'
import type { DownloadPage } from './read-download-page.ts'

/** Characters in a chunk. */
const CHUNK_CHARACTERS = 64 * 1024

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

/** Writes a page as one entry per line. */
async function* writeLines(page: DownloadPage): AsyncGenerator<string> {
  yield* joinChunks(async function* () {
    for await (const entry of page.entries()) yield `${JSON.stringify(entry)}\n`
  })
}

/** Writes a page as one JSON document. */
async function* writeDocument(page: DownloadPage, meta: unknown): AsyncGenerator<string> {
  yield* joinChunks(async function* () {
    let separator = '{"data":['
    for await (const entry of page.entries()) {
      yield `${separator}${JSON.stringify(entry)}`
      separator = ','
    }
    yield `${page.count === 0 ? separator : ''}],"meta":${JSON.stringify(meta)}}`
  })
}

/** Joins small pieces, each of which would be a write of its own. */
async function* joinChunks(pieces: () => AsyncGenerator<string>): AsyncGenerator<string> {
  let chunk = ''
  for await (const piece of pieces()) {
    chunk += piece
    if (chunk.length < CHUNK_CHARACTERS) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}
