import type { Account } from '../types.ts'
import { dailyLimit, dayOf, endOfDay, withTimeout, type Quota, type QuotaState } from './quota.ts'

/** What happens to the store of a quota: it is `away`, requests are `decided` without it, it is `back`. */
export type FallbackEvent =
  | { readonly kind: 'unreachable'; readonly error: unknown }
  | { readonly kind: 'decided' }
  | { readonly kind: 'reachable' }

export interface FallbackOptions {
  /** Told when the store goes away (to log it), of each request decided without it (to count it), and when it is back. */
  readonly onFallback: (event: FallbackEvent) => void
  /** Milliseconds that the store has for an answer. @default 500 */
  readonly timeoutMs?: number
  /** Milliseconds until a store that is away is asked again. @default 1000 */
  readonly retryMs?: number
  /** Milliseconds that only go up. @default `performance.now` */
  readonly clock?: () => number
}

/**
 * A quota that never fails: while its store is away or hangs, up to a tenth of each allowance a day, rounded down but
 * one at least, is granted from memory, by each process on its own. What was granted so is not charged later.
 *
 * Meanwhile `used` and `remaining` speak of that tenth. One request a second asks the store whether it is back, and is the
 * only one that waits for it.
 *
 * @example
 * const quota = createFallbackQuota(createRedisQuota(redis), {
 *   onFallback: (event) => event.kind === 'unreachable' && log.error(event.error, 'quota store away'),
 * })
 */
export function createFallbackQuota(primary: Quota, options: FallbackOptions): Quota {
  const { onFallback, timeoutMs = 500, retryMs = 1000, clock = () => performance.now() } = options
  const counter = createMemoryCounter()
  let isUnreachable = false
  let nextAttempt = 0

  const tryPrimary = async (
    request: () => Promise<QuotaState>,
    decideLocally: () => QuotaState,
  ): Promise<QuotaState> => {
    if (!isUnreachable || clock() >= nextAttempt) {
      // Others go on without the store while this one waits.
      nextAttempt = clock() + retryMs
      try {
        const state = await withTimeout(request(), timeoutMs)
        if (isUnreachable) onFallback({ kind: 'reachable' })
        isUnreachable = false
        return state
      } catch (error) {
        if (!isUnreachable) onFallback({ kind: 'unreachable', error })
        isUnreachable = true
        nextAttempt = clock() + retryMs
      }
    }
    onFallback({ kind: 'decided' })
    return decideLocally()
  }

  return {
    take: (account, now) =>
      tryPrimary(
        () => primary.take(account, now),
        () => counter.take(account, now),
      ),
    peek: (account, now) =>
      tryPrimary(
        () => primary.peek(account, now),
        () => counter.peek(account, now),
      ),
    close: () => withTimeout(primary.close(), timeoutMs).catch(() => {}),
  }
}

/** Counts of one day, by account. */
function createMemoryCounter(): {
  take(account: Account, now: Date): QuotaState
  peek(account: Account, now: Date): QuotaState
} {
  let today = ''
  const counts = new Map<string, number>()

  const count = (account: Account, now: Date, charge: 0 | 1): QuotaState => {
    const day = dayOf(now)
    if (day > today) {
      counts.clear()
      today = day
    }
    const limit = dailyLimit(account)
    const localLimit = Math.min(limit, Math.max(1, Math.floor(limit / 10)))
    const before = counts.get(account.id) ?? 0
    const allowed = before < localLimit
    const used = allowed ? before + charge : before
    counts.set(account.id, used)
    return {
      limit,
      used,
      remaining: Math.max(0, localLimit - used),
      resetAt: endOfDay(now),
      allowed,
      isFallback: true,
    }
  }

  return {
    take: (account, now) => count(account, now, 1),
    peek: (account, now) => count(account, now, 0),
  }
}
