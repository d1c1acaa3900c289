import { LRUCache } from 'lru-cache'
import { createBody, type Body, type BodySource } from './body.ts'

/** Serialised bodies by name; the least recently used are evicted first. */
export interface BodyCache {
  get(name: string): Body | undefined
  /** Returns the body with this name, or creates it; concurrent callers share one creation. */
  obtain(name: string, create: () => Promise<BodySource>): Promise<Body>
  /** Bytes in the cache, with {@link ENTRY_BYTES} for each entry. */
  bytes(): number
}

/** Estimated memory of an entry besides its bytes. */
const ENTRY_BYTES = 1000

/** Creates a cache of at most `maxBytes`; a body that is incomplete or larger than an eighth of that is returned but not cached. */
export function createBodyCache(maxBytes: number): BodyCache {
  const cached = new LRUCache<string, Body>({
    maxSize: maxBytes,
    sizeCalculation: (body) => body.size() + ENTRY_BYTES,
  })
  const pending = new Map<string, Promise<Body>>()

  const updateSize = (name: string, body: Body): void => {
    if (cached.peek(name) !== body) return
    // Setting the same value again would not recalculate its size.
    cached.delete(name)
    cached.set(name, body)
  }

  const add = async (name: string, create: () => Promise<BodySource>): Promise<Body> => {
    try {
      const body: Body = createBody(await create(), () => updateSize(name, body))
      if (body.size() <= maxBytes / 8 && !body.isIncomplete) cached.set(name, body)
      return body
    } finally {
      pending.delete(name)
    }
  }

  return {
    get: (name) => cached.get(name),
    obtain(name, create) {
      const known = cached.get(name)
      if (known !== undefined) return Promise.resolve(known)
      const started = pending.get(name)
      if (started !== undefined) return started
      const body = add(name, create)
      pending.set(name, body)
      return body
    },
    bytes: () => cached.calculatedSize,
  }
}
