import type { Account, Tier } from '../types.ts'

/** The quota of an account on a UTC day. */
export interface QuotaState {
  /** Requests a day. */
  readonly limit: number
  readonly used: number
  readonly remaining: number
  /** 00:00 UTC of the next day. */
  readonly resetAt: Date
  /** Whether the requests were granted and charged; for `peek`, whether one would be. */
  readonly allowed: boolean
  /** Set while the store is unreachable: only part of the limit is granted, and `used` and `remaining` refer to that part. */
  readonly isFallback?: true
}

/** Returns the seconds after which to retry a rejected request: until the next day, but at most 30 while the store is unreachable. */
export function computeRetryAfter(
  { isFallback, resetAt }: Pick<QuotaState, 'isFallback' | 'resetAt'>,
  now: Date,
): number {
  const rest = Math.max(1, Math.ceil((resetAt.getTime() - now.getTime()) / 1000))
  return isFallback ? Math.min(rest, 30) : rest
}

/** Counts the requests of accounts against their daily limits. */
export interface Quota {
  /**
   * Charges requests if so many are left, else none; exact for any number of concurrent calls.
   *
   * @param count requests to charge together. @default 1
   */
  take(account: Account, now: Date, count?: number): Promise<QuotaState>
  /** Returns the state without charging a request. */
  peek(account: Account, now: Date): Promise<QuotaState>
  /** Waits for pending charges. */
  close(): Promise<void>
}

const TIER_LIMITS: Readonly<Record<Tier, number>> = { free: 10, pro: 1000 }

/** Requests a UTC day: the account's own limit, or else that of its tier. */
export function dailyLimit({ tier, daily }: Pick<Account, 'tier' | 'daily'>): number {
  return daily ?? TIER_LIMITS[tier]
}

/** Returns the UTC day of a time, `2026-03-01`. */
export function dayOf(now: Date): string {
  return now.toISOString().slice(0, 10)
}

/** Returns the first 00:00 UTC after a time. */
export function endOfDay(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1))
}
