import { createHash, webcrypto } from 'node:crypto'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import { createFairQueue } from '@packs/threads'
import type { Encoding } from '../http/headers.ts'
import { LRUCache } from 'lru-cache'

/** Smaller bodies are not encoded. */
const MIN_ENCODED_BYTES = 512
/**
 * Larger bodies are encoded one after another, so that other requests still find free threads and
 * processors.
 */
const LARGE_BYTES = 256 * 1024
const largeQueue = createFairQueue()

export interface DigestedBytes {
  readonly bytes: Buffer
  /** Value of `Content-Digest` (RFC 9530). */
  readonly digest: string
}

export interface EncodedBody extends DigestedBytes {
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
  /**
   * Whether damaged packs were omitted, so that the body may change while its tag does not. Such a
   * body is not cached.
   */
  readonly isIncomplete?: boolean | undefined
}

/** A serialized body that keeps each encoding after its first use. */
export interface Body extends Omit<BodySource, 'text'> {
  readonly identity: EncodedBody
  /** Bytes in memory, encodings included. */
  size(): number
  encode(encoding: Encoding): EncodedBody | Promise<EncodedBody>
}

/**
 * Creates a body.
 *
 * @param onGrowth called when an encoding is added
 */
export function createBody(source: BodySource, onGrowth: () => void = () => undefined): Body {
  const { text, ...fields } = source
  const identity: EncodedBody = {
    ...(typeof text === 'string' ? digestNow(Buffer.from(text)) : text),
    encoding: 'identity',
  }
  const encodings = new Map<Encoding, EncodedBody | Promise<EncodedBody>>([['identity', identity]])
  let size = identity.bytes.length

  const encodeNew = async (encoding: Exclude<Encoding, 'identity'>): Promise<EncodedBody> => {
    const isLarge = identity.bytes.length > LARGE_BYTES
    const work = (): Promise<Buffer> => compress(identity.bytes, encoding)
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
      return pending
    },
  }
}

/**
 * Hashes bytes, in another thread if they are many: a megabyte blocks this one for milliseconds.
 */
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

/**
 * These run in threads. Brotli at quality 5 takes a tenth of the time of quality 11, the default,
 * for a few percent more bytes.
 */
const compressors: Readonly<Record<Exclude<Encoding, 'identity'>, Compressor>> = {
  br: (bytes) =>
    promisify(zlib.brotliCompress)(bytes, {
      params: { [BROTLI_PARAM_QUALITY]: 5, [BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: (bytes) => promisify<Buffer, Buffer>(zlib.gzip)(bytes),
  zstd: (bytes) => promisify<Buffer, Buffer>(zlib.zstdCompress)(bytes),
}

/** Compresses bytes in another thread. */
export function compress(bytes: Buffer, encoding: Exclude<Encoding, 'identity'>): Promise<Buffer> {
  return compressors[encoding](bytes)
}

/** Serialized bodies by name; the least recently used are evicted first. */
export interface BodyCache {
  get(name: string): Body | undefined
  /** Returns the body with this name, or creates it; concurrent callers share one creation. */
  obtain(name: string, create: () => Promise<BodySource>): Promise<Body>
  /** Bytes in the cache, with {@link ENTRY_BYTES} for each entry. */
  bytes(): number
}

/** Estimated memory of an entry besides its bytes. */
const ENTRY_BYTES = 1000

/**
 * Creates a cache of at most `maxBytes`. A body that is incomplete, or larger than an eighth of
 * that, is returned but not cached.
 */
export function createBodyCache(maxBytes: number): BodyCache {
  const cached = new LRUCache<string, Body>({
    maxSize: maxBytes,
    sizeCalculation: (body) => body.size() + ENTRY_BYTES,
  })
  const pending = new Map<string, Promise<Body>>()

  const updateSize = (name: string, body: Body): void => {
    if (cached.peek(name) !== body) return
    // Setting the same value again would not recompute its size.
    cached.delete(name)
    cached.set(name, body)
  }

  const add = async (name: string, create: () => Promise<BodySource>): Promise<Body> => {
    const body: Body = createBody(await create(), () => updateSize(name, body))
    if (body.size() <= maxBytes / 8 && !body.isIncomplete) cached.set(name, body)
    return body
  }

  return {
    get: (name) => cached.get(name),
    obtain(name, create) {
      const known = cached.get(name)
      if (known !== undefined) return Promise.resolve(known)
      const body = pending.get(name) ?? add(name, create).finally(() => pending.delete(name))
      pending.set(name, body)
      return body
    },
    bytes: () => cached.calculatedSize,
  }
}
