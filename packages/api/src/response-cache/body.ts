import * as zlib from 'node:zlib'
import { createHash, webcrypto, createHmac, hash } from 'node:crypto'
import { promisify } from 'node:util'
import { createFairQueue } from '@packs/threads'
import { preconditionFailedError } from '../errors/api-error.ts'
import { type Encoding, chooseEncoding } from '../http/headers.ts'
import type { FastifyRequest, FastifyReply } from 'fastify'
import { z } from 'zod'
import { type Catalog, createLoadingCache, type VersionRecord } from '@packs/catalog'

const MIN_ENCODED_BYTES = 512
/** Encoded one after another, so that other requests still find free threads. */
const LARGE_BYTES = 256 * 1024
const largeQueue = createFairQueue()

export interface DigestedBytes {
  readonly bytes: Buffer
  /** Value of `Content-Digest` (RFC 9530). */
  readonly digest: string
}

interface EncodedBody extends DigestedBytes {
  readonly encoding: Encoding
}

export interface BodySource {
  /** The text, or its bytes if another thread has written them. */
  readonly text: string | DigestedBytes
  readonly type: string
  /** Identifies the text, without quotes. */
  readonly tag: string
  /** A weak tag identifies the content, not its bytes. */
  readonly weak: boolean
  readonly link?: string | undefined
  /** Damaged packs were omitted: the body may change while its tag does not. */
  readonly isIncomplete?: boolean | undefined
}

/** A serialized body that keeps each encoding after its first use. */
export interface Body extends Omit<BodySource, 'text'> {
  readonly identity: EncodedBody
  /** Bytes in memory, encodings included. */
  size(): number
  encode(encoding: Encoding): EncodedBody | Promise<EncodedBody>
}

export function createBody(source: BodySource, onGrowth: () => void = () => undefined): Body {
  const { text, ...fields } = source
  const identity: EncodedBody = {
    ...(typeof text === 'string'
      ? digestNow(copyBytes(Buffer.from(text)))
      : { ...text, bytes: copyBytes(text.bytes) }),
    encoding: 'identity',
  }
  const encodings = new Map<Encoding, EncodedBody | Promise<EncodedBody>>([['identity', identity]])
  let size = identity.bytes.length

  const encodeNew = async (encoding: Exclude<Encoding, 'identity'>): Promise<EncodedBody> => {
    const isLarge = identity.bytes.length > LARGE_BYTES
    const work = (): Promise<Buffer> => compressBody(identity.bytes, encoding)
    const bytes = await (isLarge ? largeQueue.run('', work) : work())
    const encoded =
      bytes.length < identity.bytes.length ? { ...(await digestBytes(bytes)), encoding } : identity
    encodings.set(encoding, encoded)
    if (encoded !== identity) size += bytes.length
    onGrowth()
    return encoded
  }

  return {
    ...fields,
    identity,
    size: () => size,
    encode(encoding) {
      if (encoding === 'identity' || identity.bytes.length < MIN_ENCODED_BYTES) return identity
      const existing = encodings.get(encoding)
      if (existing !== undefined) return existing
      const pending = encodeNew(encoding)
      encodings.set(encoding, pending)
      // The next request tries again.
      pending.catch(() => encodings.delete(encoding))
      return pending
    },
  }
}

/** A megabyte blocks this thread for milliseconds, so another one hashes it. */
async function digestBytes(bytes: Buffer): Promise<DigestedBytes> {
  if (bytes.length <= LARGE_BYTES) return digestNow(bytes)
  const digest = await webcrypto.subtle.digest('SHA-256', bytes)
  return { bytes, digest: formatDigest(Buffer.from(digest)) }
}

export function digestNow(bytes: Buffer): DigestedBytes {
  return { bytes, digest: formatDigest(createHash('sha256').update(bytes).digest()) }
}

function formatDigest(sha256: Buffer): string {
  return `sha-256=:${sha256.toString('base64')}:`
}

type Compressor = (bytes: Buffer) => Promise<Buffer>

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = zlib.constants

/** In threads. Brotli at quality 5 takes a tenth of the time of 11 for a few percent more bytes. */
const compressors: Readonly<Record<Exclude<Encoding, 'identity'>, Compressor>> = {
  br: (bytes) =>
    promisify(zlib.brotliCompress)(bytes, {
      params: { [BROTLI_PARAM_QUALITY]: 5, [BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: (bytes) => promisify<Buffer, Buffer>(zlib.gzip)(bytes),
  zstd: (bytes) => promisify<Buffer, Buffer>(zlib.zstdCompress)(bytes),
}

export async function compressBody(bytes: Buffer, encoding: Exclude<Encoding, 'identity'>): Promise<Buffer> {
  return copyBytes(await compressors[encoding](bytes))
}

/** A small buffer is a part of one of 64 KiB, all of which a cache would keep. */
function copyBytes(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  copy.set(bytes)
  return copy
}

/** Serialized bodies by name; the least recently used are evicted first. */
export interface BodyCache {
  get(name: string): Body | undefined
  /** Returns the body with this name, or creates it; concurrent callers share one creation. */
  obtain(name: string, create: () => Promise<BodySource>): Promise<Body>
  bytes(): number
}

/** A body that is incomplete, or larger than an eighth of this, is not kept. */
export function createBodyCache(maxBytes: number): BodyCache {
  const cache = createLoadingCache(maxBytes)
  return {
    get: (name) => cache.get(name),
    obtain(name, create) {
      const load = async (): Promise<Body> => {
        const body: Body = createBody(await create(), () => cache.resize(name, body, body.size()))
        return body
      }
      return cache.obtain(name, load, (body) =>
        body.size() <= maxBytes / 8 && !body.isIncomplete ? body.size() : 0,
      )
    },
    bytes: () => cache.bytes(),
  }
}

/** Writes the tag of a response that depends on the whole catalog, and on its schema. */
export type TagWriter = (sequence: number, content: string, schema: z.ZodType) => string

/**
 * After a restore the same sequence number may mean different content, so the operator renews the
 * secret and with it all tags.
 */
export function createTagWriter(secret: Uint8Array): TagWriter {
  // Derived from the secret without revealing it. Hashing with it costs a tenth of an HMAC for each tag.
  const epoch = createHmac('sha256', secret).update('tags').digest('base64url')
  return (sequence, content, schema) => {
    const text = `${epoch} ${identifyFormat(schema)} ${content}`
    return `${sequence.toString(36)}.${hash('sha256', text, 'base64url').slice(0, 16)}`
  }
}

type Tagged = Pick<BodySource, 'tag' | 'weak'>

const formats = new WeakMap<z.ZodType, string>()

/** Changes with a schema: after an upgrade that adds a field, an old body is no longer a 304. */
export function identifyFormat(schema: z.ZodType): string {
  const known = formats.get(schema)
  if (known !== undefined) return known
  const text = JSON.stringify(z.toJSONSchema(schema, { io: 'output' }))
  const format = hash('sha256', text, 'base64url').slice(0, 6)
  formats.set(schema, format)
  return format
}

/** Never matches a later request, so that clients get the page once the packs are repaired. */
export function writeIncompleteTag(tag: string): string {
  return `${tag}.incomplete`
}

/**
 * A strong tag identifies bytes, so each negotiated encoding has its own, even of a small body. A
 * weak tag identifies the content in any encoding.
 */
export function formatEtag({ tag, weak }: Tagged, accepted: string | undefined): string {
  if (weak) return `W/"${tag}"`
  const encoding = chooseEncoding(accepted)
  return encoding === 'identity' ? `"${tag}"` : `"${tag}-${encoding}"`
}

/**
 * Returns the status that the preconditions of a request ask for instead of 200 (RFC 9110, section
 * 13.2.2). Nothing has a time of its last change, so conditions on one are ignored.
 * @param etag of the response; undefined if it has none
 */
export function checkPreconditions({ headers }: FastifyRequest, etag = ''): 304 | 412 | undefined {
  const { 'if-match': wanted, 'if-none-match': known } = headers
  if (wanted !== undefined && !matchesEtag(wanted, etag, true)) return 412
  return known !== undefined && matchesEtag(known, etag) ? 304 : undefined
}

/** Returns the `ETag` of a body if the client has it; throws if `If-Match` fails. */
export function findMatchingEtag(request: FastifyRequest, body: Tagged): string | undefined {
  const etag = formatEtag(body, request.headers['accept-encoding'])
  const status = checkPreconditions(request, etag)
  if (status === 412) throw preconditionFailedError()
  return status && etag
}

/** Compares weakly (RFC 9110, section 8.8.3.2) or strongly. `*` matches whatever exists. */
function matchesEtag(header: string, etag: string, isStrong = false): boolean {
  if (header.trim() === '*') return true
  if (isStrong && etag.startsWith('W/')) return false
  const wanted = etag.replace(/^W\//, '')
  for (const [, weak, tag] of header.matchAll(/(W\/)?("[\x21\x23-\x7e\x80-\xff]*")/gi))
    if (tag === wanted && !(isStrong && weak !== undefined)) return true
  return false
}

/** @param charge called right before sending; nothing is sent if it throws */
export async function sendBody(
  reply: FastifyReply,
  body: Body,
  caching: string,
  charge?: () => Promise<void>,
): Promise<FastifyReply> {
  const accepted = reply.request.headers['accept-encoding']
  const encoded = await body.encode(chooseEncoding(accepted))
  await charge?.()
  reply.header('etag', formatEtag(body, accepted))
  reply.header('content-type', body.type)
  reply.header('cache-control', caching)
  reply.header('content-digest', encoded.digest)
  if (encoded.encoding !== 'identity') reply.header('content-encoding', encoded.encoding)
  if (body.link !== undefined) reply.header('link', body.link)
  return reply.send(encoded.bytes)
}

export function sendNotModified(reply: FastifyReply, etag: string, caching: string): FastifyReply {
  return reply.code(304).headers({ etag, 'cache-control': caching }).send()
}

export interface FoundPack extends Pick<
  VersionRecord,
  'sequence' | 'slug' | 'version' | 'uncompressed_estimate' | 'yanked' | 'updated_at' | 'bytes'
> {
  /** Identifies its state: digest, time of the last change, what was added later. */
  readonly tag: string
  /** Identifies what readers of previews see of it, and does not depend on what is locked. */
  readonly previewTag: string
}

/** Finds packs, and caches them until the catalog changes. */
export interface PackFinder {
  peekLatest(name: string, sequence: number): FoundPack | undefined
  findLatest(name: string, sequence: number): Promise<FoundPack | undefined>
  findVersion(name: string, version: string, sequence: number): Promise<FoundPack | undefined>
}

/** Creates a finder, whose methods take the catalog's `sequence` at the time of the request. */
export function createPackFinder({ packs, results }: Catalog): PackFinder {
  const find = (
    key: string,
    sequence: number,
    read: () => Promise<VersionRecord | undefined>,
  ): Promise<FoundPack | undefined> =>
    results.obtain(`pack ${key}`, sequence, async () => {
      const version = await read()
      return version && describeVersion(version)
    })

  const readVersion = async (name: string, version: string): Promise<VersionRecord | undefined> => {
    const found = await packs.find(name, version)
    // The pack may change, but this version does not.
    return found && { ...found, updated_at: found.published_at }
  }

  return {
    peekLatest: (name, sequence) => results.peek(`pack ${name}`, sequence),
    findLatest: (name, sequence) => find(name, sequence, () => packs.find(name)),
    findVersion: (name, version, sequence) =>
      find(`${name}@${version}`, sequence, () => readVersion(name, version)),
  }
}

function describeVersion(record: VersionRecord): FoundPack {
  const { sequence, slug, version, pack_digest, uncompressed_estimate } = record
  const { yanked, updated_at, bytes, signatures } = record
  const added = JSON.stringify(signatures)
  const suffix = added === '[]' ? '' : `.${hash('sha256', added, 'base64url').slice(0, 8)}`
  const time = Date.parse(updated_at).toString(36)
  const tag = `${pack_digest.slice(0, 32)}.${time}${suffix}`
  const previewTag = `${hash('sha256', `${slug}@${version}`, 'base64url').slice(0, 32)}.${time}`
  const names = { sequence, slug, version, tag, previewTag }
  return { ...names, uncompressed_estimate, yanked, updated_at, bytes }
}
