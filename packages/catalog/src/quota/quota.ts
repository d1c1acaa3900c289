import type { Account, Tier } from '../types.ts'

/** What is left of an account's allowance on a UTC day. */
export interface QuotaState {
  /** Requests a day. */
  readonly limit: number
  readonly used: number
  readonly remaining: number
  /** 00:00 UTC of the next day. */
  readonly resetAt: Date
  /** Whether the request was charged; of a `peek`, whether one would be. */
  readonly allowed: boolean
  /** What counts is away: a part of the allowance is granted meanwhile, and `used` and `remaining` speak of that part. */
  readonly isFallback?: true
}

/** Seconds after which a refused request may be granted: what counts is back soon, or the next day has begun. */
export function computeRetryAfter(
  { isFallback, resetAt }: Pick<QuotaState, 'isFallback' | 'resetAt'>,
  now: Date,
): number {
  const rest = Math.max(1, Math.ceil((resetAt.getTime() - now.getTime()) / 1000))
  return isFallback ? Math.min(rest, 30) : rest
}

/** Counts the requests of accounts against their daily allowance. */
export interface Quota {
  /** Charges one request if the allowance has one left; exact, however many ask at the same time. */
  take(account: Account, now: Date): Promise<QuotaState>
  /** Charges nothing. */
  peek(account: Account, now: Date): Promise<QuotaState>
  /** Waits for requests that are being charged. */
  close(): Promise<void>
}

const TIER_LIMITS: Readonly<Record<Tier, number>> = { free: 10, pro: 1000 }

/** Requests a UTC day: those of the tier, or the account's own number. */
export function dailyLimit({ tier, daily }: Pick<Account, 'tier' | 'daily'>): number {
  return daily ?? TIER_LIMITS[tier]
}

/** The UTC day of a time, `2026-03-01`. */
export function dayOf(now: Date): string {
  return now.toISOString().slice(0, 10)
}

/** 00:00 UTC after a time. */
export function endOfDay(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1))
}

/** Waits no longer than that for a promise, whose outcome is then ignored. @throws Error when the time is over */
export async function withTimeout<T>(promise: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${milliseconds} ms`)), milliseconds)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
