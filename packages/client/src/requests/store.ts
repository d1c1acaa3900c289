import { findDuplicateMember } from '@packs/codec/internal'
import { hashText } from '../shapes.ts'
import type { Pack } from '@packs/codec/pack'
import { type Ports, limitTime } from './send-request.ts'
import type { Cache } from '../types.ts'

/** A response in the cache. */
export interface StoredResponse {
  readonly etag?: string | undefined
  /** When the catalog confirmed it; milliseconds since 1970. */
  readonly at: number
  /** Whether it never changes. */
  readonly isImmutable: boolean
  readonly text: string
}

/** A cache that never fails: what it cannot read or verify counts as missing. */
export interface Store {
  /** @param path of the request */
  readResponse(path: string, signal?: AbortSignal): Promise<StoredResponse | undefined>
  writeResponse(path: string, response: StoredResponse, signal?: AbortSignal): Promise<void>
  /** @param digest `pack_digest` */
  readPack(digest: string, signal?: AbortSignal): Promise<Pack | undefined>
  writePack(pack: Pack, signal?: AbortSignal): Promise<void>
  /** Uses the cache itself; returns nothing if it fails. */
  use<T>(work: (cache: Cache) => Promise<T>, signal?: AbortSignal): Promise<T | undefined>
}

/** Milliseconds that the cache may take. */
const MAX_CACHE_WAIT = 2000

/**
 * Packs have the key `pack/<pack_digest>` and are the JSON of a pack file; responses begin with the
 * digest of the rest, and `response/<digest>` hides the API key.
 * @param scope URL and key: responses for others are not found
 */
export function createStore(getCache: () => Promise<Cache>, scope: string, ports: Ports): Store {
  const attempt = async <T>(
    work: (cache: Cache) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T | undefined> => {
    try {
      return await limitTime(ports, MAX_CACHE_WAIT, signal, async () => work(await getCache()))
    } catch {
      signal?.throwIfAborted()
      return undefined
    }
  }
  const nameResponse = async (path: string): Promise<string> =>
    `response/${await hashText(`${scope}\n${path}`)}`

  return {
    readResponse: (path, signal) =>
      attempt(async (cache) => {
        const [digest, rest = ''] = ((await cache.get(await nameResponse(path))) ?? '').split('\n')
        return digest === (await hashText(rest)) ? (JSON.parse(rest) as StoredResponse) : undefined
      }, signal),
    writeResponse: (path, response, signal) =>
      attempt(async (cache) => {
        const rest = JSON.stringify(response)
        await cache.set(await nameResponse(path), `${await hashText(rest)}\n${rest}`)
      }, signal),
    readPack: (digest, signal) =>
      attempt(async (cache) => {
        const value = (await cache.get(`pack/${digest}`)) ?? ''
        const { verifyPack } = await import('../verify-pack.ts')
        const { pack } = await verifyPack(JSON.parse(value))
        if (findDuplicateMember(value) !== undefined) return undefined
        return pack?.pack_digest === digest ? pack : undefined
      }, signal),
    writePack: (pack, signal) =>
      attempt(async (cache) => {
        // No digest covers what the client adds to the document.
        const added = { preview: undefined, signer: undefined, stale: undefined, age: undefined }
        await cache.set(`pack/${pack.pack_digest}`, JSON.stringify({ ...pack, ...added }))
      }, signal),
    use: attempt,
  }
}

/**
 * Creates a cache in memory. It evicts the least recently used entries.
 * @param options.bytes most bytes of all keys and values, as UTF-16
 * @example
 * const client = createClient({ url, key, cache: createMemoryCache({ bytes: 8 * 1024 * 1024 }) })
 */
export function createMemoryCache({ bytes }: { readonly bytes: number }): Cache {
  const values = new Map<string, string>()
  let size = 0
  const measure = (key: string, value: string): number => 2 * (key.length + value.length)

  const take = (key: string): string | undefined => {
    const value = values.get(key)
    if (values.delete(key)) size -= measure(key, value!)
    return value
  }
  const cache: Cache = {
    async get(key) {
      const value = take(key)
      if (value !== undefined) await cache.set(key, value)
      return value
    },
    async set(key, value) {
      take(key)
      if (measure(key, value) > bytes) return
      values.set(key, value)
      size += measure(key, value)
      for (const oldest of values.keys()) if (size > bytes) take(oldest)
    },
    async delete(key) {
      take(key)
    },
  }
  return cache
}
