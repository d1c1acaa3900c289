import type { Catalog, QuotaGrant, QuotaStore } from '../catalog.ts'
import { withTimeLimit } from '../time-limit.ts'
import { dailyLimit, dayOf, endOfDay, type Quota, type QuotaState } from './quota.ts'

/** After this time the next statement no longer waits for a stuck one. */
const STATEMENT_TIMEOUT_MS = 1000

/** Charges with the same account, day, limit and size that share one statement. */
interface Batch {
  readonly accountId: string
  readonly day: string
  readonly limit: number
  /** Requests of each charge. */
  readonly size: number
  readonly waiting: ((grant: Promise<QuotaGrant>, index: number) => void)[]
}

/**
 * Creates a quota that counts in the catalog's database.
 *
 * @example
 * const quota = createCatalogQuota(catalog)
 * const { allowed, remaining } = await quota.take(account, new Date())
 */
export function createCatalogQuota({ quota }: Catalog): Quota {
  return createQuota(quota)
}

/**
 * Creates a quota that counts in a store. Concurrent charges of an account, of the same size, are made with one statement, and those
 * that arrive while it runs with the next, so that a burst needs few statements.
 */
export function createQuota(store: QuotaStore): Quota {
  const gathering = new Map<string, Batch>()
  const running = new Map<string, Promise<unknown>>()

  const start = (key: string): void => {
    const batch = gathering.get(key)
    if (batch === undefined || running.has(key)) return
    gathering.delete(key)
    const { accountId, day, limit, size, waiting } = batch
    const grant = store.grant(accountId, day, limit, waiting.length, size)
    for (const [index, charge] of waiting.entries()) charge(grant, index)
    const end = (): void => {
      running.delete(key)
      start(key)
    }
    running.set(key, withTimeLimit(grant, STATEMENT_TIMEOUT_MS, () => undefined).then(end, end))
  }

  const charge = (accountId: string, day: string, limit: number, size: number): Promise<QuotaGrant> =>
    new Promise((resolve, reject) => {
      const key = `${accountId} ${day} ${limit} ${size}`
      const batch = gathering.get(key) ?? { accountId, day, limit, size, waiting: [] }
      batch.waiting.push((grant, index) => {
        grant.then((all) => resolve(findGrant(all, index, size)), reject)
      })
      if (batch.waiting.length > 1) return
      gathering.set(key, batch)
      setImmediate(start, key)
    })

  return {
    async take(account, now, count = 1) {
      const limit = dailyLimit(account)
      const { used, granted } = await charge(account.id, dayOf(now), limit, count)
      return createQuotaState(limit, used, granted > 0, now)
    },

    async peek(account, now) {
      const limit = dailyLimit(account)
      const used = await store.used(account.id, dayOf(now))
      return createQuotaState(limit, used, used < limit, now)
    },

    async close() {
      while (running.size + gathering.size > 0) {
        for (const key of gathering.keys()) start(key)
        await Promise.all(running.values())
      }
    },
  }
}

/** Returns the result of one charge of a batch: charges are granted in order of arrival. */
function findGrant({ granted, used }: QuotaGrant, index: number, size: number): QuotaGrant {
  const after = (index + 1) * size
  return after <= granted ? { granted: size, used: used - granted + after } : { granted: 0, used }
}

function createQuotaState(limit: number, used: number, allowed: boolean, now: Date): QuotaState {
  return { limit, used, remaining: Math.max(0, limit - used), resetAt: endOfDay(now), allowed }
}
