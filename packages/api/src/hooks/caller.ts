import { type Account, type Catalog, type VerifiedKey, verifyKey } from '@packs/catalog'
import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks, once the key was found good. */
    caller: Caller | null
  }
}

/** Milliseconds that an answer of the catalog is taken for true: a revoked key and a raised tier show within them. */
const TRUSTED = 500
const MOST_KEYS = 10_000

/** Who asks: an account, through one of its keys. */
export type Caller = VerifiedKey

/** Finds who a key belongs to: at once where that was asked a moment ago. */
export type KeyReader = (text: string) => Caller | Promise<Caller | undefined>

/** Creates a reader that asks the catalog for each key twice a second at most; keys that are not valid are not kept. */
export function createKeyReader(catalog: Catalog, now: () => Date): KeyReader {
  const kept = new Map<string, { readonly caller: Caller; readonly until: number }>()
  const asked = new Map<string, Promise<Caller | undefined>>()

  const ask = async (text: string, date: Date): Promise<Caller | undefined> => {
    try {
      const caller = await verifyKey(catalog, text, date)
      if (caller === undefined) return undefined
      if (kept.size >= MOST_KEYS) kept.clear()
      const end = caller.key.expires_at === null ? Infinity : Date.parse(caller.key.expires_at)
      kept.set(text, { caller, until: Math.min(date.getTime() + TRUSTED, end) })
      return caller
    } finally {
      asked.delete(text)
    }
  }

  return (text) => {
    const date = now()
    const known = kept.get(text)
    if (known !== undefined) {
      const left = known.until - date.getTime()
      // More than is ever kept: the clock was set back.
      if (left > 0 && left <= TRUSTED) return known.caller
      kept.delete(text)
    }
    const pending = asked.get(text)
    if (pending !== undefined) return pending
    const answer = ask(text, date)
    asked.set(text, answer)
    return answer
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
