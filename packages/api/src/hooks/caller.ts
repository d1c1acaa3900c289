import { verifyKey, type Account, type Catalog, type VerifiedKey } from '@packs/catalog'
import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks, once the key was found good. */
    caller: Caller | null
  }
}

/** Milliseconds that an answer of the catalog is taken for true: a revoked key and a raised tier show within them. */
const CACHE_MILLISECONDS = 500
const MAX_CACHED_KEYS = 10_000

/** Who asks: an account, through one of its keys. */
export type Caller = VerifiedKey

/** Finds who a key belongs to: at once where that was asked a moment ago. */
export type CallerFinder = (text: string) => Caller | Promise<Caller | undefined>

/** Creates a reader that asks the catalog for each key twice a second at most; keys that are not valid are not kept. */
export function createCallerFinder(catalog: Catalog, now: () => Date): CallerFinder {
  const cached = new Map<string, { readonly caller: Caller; readonly until: number }>()
  const pending = new Map<string, Promise<Caller | undefined>>()

  const verify = async (text: string, date: Date): Promise<Caller | undefined> => {
    try {
      const caller = await verifyKey(catalog, text, date)
      if (caller === undefined) return undefined
      if (cached.size >= MAX_CACHED_KEYS) cached.clear()
      const end = caller.key.expires_at === null ? Infinity : Date.parse(caller.key.expires_at)
      cached.set(text, { caller, until: Math.min(date.getTime() + CACHE_MILLISECONDS, end) })
      return caller
    } finally {
      pending.delete(text)
    }
  }

  return (text) => {
    const date = now()
    const known = cached.get(text)
    if (known !== undefined) {
      const left = known.until - date.getTime()
      // More than is ever kept: the clock was set back.
      if (left > 0 && left <= CACHE_MILLISECONDS) return known.caller
      cached.delete(text)
    }
    const started = pending.get(text)
    if (started !== undefined) return started
    const caller = verify(text, date)
    pending.set(text, caller)
    return caller
  }
}

/** The account that asked, once its key was found good; for logs. */
export function findAccount({ caller }: FastifyRequest): Account | undefined {
  return caller?.account
}

/** Who asks; the gate lets nobody else through to a route. */
export function requireCaller({ caller }: FastifyRequest): Caller {
  if (caller === null) throw new Error('A route was reached without a key')
  return caller
}
