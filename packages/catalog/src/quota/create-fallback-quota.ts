import type { Account } from '../types.ts'
import { withTimeLimit, dailyLimit, dayOf, endOfDay, type Quota, type QuotaState } from './create-quota.ts'

/** A request was `decided` without the store while it is `unreachable`. */
export type FallbackEvent =
  | { readonly kind: 'unreachable'; readonly error: unknown }
  | { readonly kind: 'decided' }
  | { readonly kind: 'reachable' }

const RETRY_MS = 1000

export interface FallbackOptions {
  /** Called at each change, and for each request that is decided without the store. */
  readonly onFallback: (event: FallbackEvent) => void
  /** Milliseconds to wait for the store. @default 500 */
  readonly timeoutMs?: number
  /** Monotonic clock in milliseconds. @default `performance.now` */
  readonly clock?: () => number
}

/**
 * Wraps a quota so that it never fails: while its store is unreachable or hangs, each process
 * grants up to a tenth of each daily limit from memory (rounded down, at least one), never charged
 * later. `used` and `remaining` refer to that tenth. One request a second tries the store again.
 */
export function createFallbackQuota(primary: Quota, options: FallbackOptions): Quota {
  const { onFallback, timeoutMs = 500, clock = () => performance.now() } = options
  const countHere = createMemoryCounter()
  let isUnreachable = false
  let nextAttempt = 0

  const tryPrimary = async (
    request: () => Promise<QuotaState>,
    decideLocally: () => QuotaState,
  ): Promise<QuotaState> => {
    if (!isUnreachable || clock() >= nextAttempt) {
      // Other requests are decided without the store while this one waits.
      nextAttempt = clock() + RETRY_MS
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
        nextAttempt = clock() + RETRY_MS
      }
    }
    onFallback({ kind: 'decided' })
    return decideLocally()
  }

  return {
    take: (account, now, count = 1) =>
      tryPrimary(
        () => primary.take(account, now, count),
        () => countHere(account, now, count),
      ),
    peek: (account, now) =>
      tryPrimary(
        () => primary.peek(account, now),
        () => countHere(account, now, 0),
      ),
    close: () => withTimeLimit(primary.close(), timeoutMs, () => undefined).catch(() => {}),
  }
}

function createMemoryCounter(): (account: Account, now: Date, requests: number) => QuotaState {
  let today = ''
  const counts = new Map<string, number>()
  return (account, now, requests) => {
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
    const remaining = Math.max(0, localLimit - used)
    return { limit, used, remaining, resetAt: endOfDay(now), allowed, isFallback: true }
  }
}
