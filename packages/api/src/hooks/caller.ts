import { verifyKey, type Account, type Catalog, type VerifiedKey } from '@packs/catalog'
import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the key is verified. */
    caller: Caller | null
  }
}

/** Milliseconds that a verified key is cached; a revoked key or a changed tier takes effect within this time. */
const CACHE_MILLISECONDS = 500
const MAX_CACHED_KEYS = 10_000

/** The account and the key of a request. */
export type Caller = VerifiedKey

/** Returns the caller with a key, synchronously if it is cached; undefined if the key is not valid. */
export type CallerFinder = (key: string) => Caller | Promise<Caller | undefined>

/** Creates a finder that queries the catalog for each valid key at most twice a second; invalid keys are not cached. */
export function createCallerFinder(catalog: Catalog, now: () => Date): CallerFinder {
  const cached = new LRUCache<string, { readonly caller: Caller; readonly expiresAt: number }>({
    max: MAX_CACHED_KEYS,
  })
  const pending = new Map<string, Promise<Caller | undefined>>()

  const verify = async (key: string, date: Date): Promise<Caller | undefined> => {
    try {
      const caller = await verifyKey(catalog, key, date)
      if (caller === undefined) return undefined
      const end = caller.key.expires_at === null ? Infinity : Date.parse(caller.key.expires_at)
      cached.set(key, { caller, expiresAt: Math.min(date.getTime() + CACHE_MILLISECONDS, end) })
      return caller
    } finally {
      pending.delete(key)
    }
  }

  return (key) => {
    const date = now()
    const known = cached.get(key)
    if (known !== undefined) {
      const left = known.expiresAt - date.getTime()
      // More time left than a new entry has: the clock was set back.
      if (left > 0 && left <= CACHE_MILLISECONDS) return known.caller
      cached.delete(key)
    }
    const started = pending.get(key)
    if (started !== undefined) return started
    const caller = verify(key, date)
    pending.set(key, caller)
    return caller
  }
}

/** Returns the account of a request once its key is verified, for logs. */
export function findAccount({ caller }: FastifyRequest): Account | undefined {
  return caller?.account
}

/** Returns the caller in a route, where the authenticate hook has set it. */
export function requireCaller({ caller }: FastifyRequest): Caller {
  if (caller === null) throw new Error('A route was reached without a key')
  return caller
}
