import type { Account } from '../types.ts'
import { withTimeLimit } from '../time-limit.ts'
import { dailyLimit, dayOf, endOfDay, type Quota, type QuotaState } from './create-quota.ts'

/** The store became `unreachable`, a request was `decided` without it, or the store is `reachable` again. */
export type FallbackEvent =
  | { readonly kind: 'unreachable'; readonly error: unknown }
  | { readonly kind: 'decided' }
  | { readonly kind: 'reachable' }

export interface FallbackOptions {
  /** Called when the store becomes unreachable, for each request decided without it, and when it is reachable again. */
  readonly onFallback: (event: FallbackEvent) => void
  /** Milliseconds to wait for the store. @default 500 */
  readonly timeoutMs?: number
  /** Milliseconds between attempts to use an unreachable store. @default 1000 */
  readonly retryMs?: number
  /** Monotonic clock in milliseconds. @default `performance.now` */
  readonly clock?: () => number
}

/**
 * Wraps a quota so that it never fails: while its store is unreachable or hangs, each process grants up to a tenth of each
 * daily limit from memory (rounded down, at least one). These requests are not charged later.
 *
 * Meanwhile `used` and `remaining` refer to that tenth. One request a second tries the store again; only that one waits.
 *
 * @example
 * const quota = createFallbackQuota(createRedisQuota(redis), {
 *   onFallback: (event) => event.kind === 'unreachable' && log.error(event.error, 'quota store unreachable'),
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
      // Other requests are decided without the store while this one waits.
      nextAttempt = clock() + retryMs
      try {
        const state = await withTimeLimit(request(), timeoutMs, () => {
          throw new Error(`No answer within ${timeoutMs} ms`)
        })
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
    take: (account, now, count) =>
      tryPrimary(
        () => primary.take(account, now, count),
        () => counter.take(account, now, count),
      ),
    peek: (account, now) =>
      tryPrimary(
        () => primary.peek(account, now),
        () => counter.peek(account, now),
      ),
    close: () => withTimeLimit(primary.close(), timeoutMs, () => undefined).catch(() => {}),
  }
}

/** Counts requests of the current day in memory. */
function createMemoryCounter(): {
  take(account: Account, now: Date, requests?: number): QuotaState
  peek(account: Account, now: Date): QuotaState
} {
  let today = ''
  const counts = new Map<string, number>()

  const count = (account: Account, now: Date, requests: number): QuotaState => {
    const day = dayOf(now)
    if (day > today) {
      counts.clear()
      today = day
    }
    const limit = dailyLimit(account)
    const localLimit = Math.min(limit, Math.max(1, Math.floor(limit / 10)))
    const before = counts.get(account.id) ?? 0
    const allowed = before + Math.max(1, requests) <= localLimit
    const used = allowed ? before + requests : before
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
    take: (account, now, requests = 1) => count(account, now, requests),
    peek: (account, now) => count(account, now, 0),
  }
}
