import type { Account, Tier } from '../types.ts'

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

/** Creates a quota. Charges that arrive while a statement runs are made with the next one. */
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

export interface QuotaState {
  readonly limit: number
  readonly used: number
  readonly remaining: number
  /** 00:00 UTC of the next day. */
  readonly resetAt: Date
  /** Whether the requests were granted and charged; for `peek`, whether one would be. */
  readonly allowed: boolean
  /** The store is unreachable: only part of the limit is granted, and the figures refer to that. */
  readonly isFallback?: true
}

/** Seconds until the next day, but at most 30 while the store is unreachable. */
export function computeRetryAfter(
  { isFallback, resetAt }: Pick<QuotaState, 'isFallback' | 'resetAt'>,
  now: Date,
): number {
  const rest = Math.max(1, Math.ceil((resetAt.getTime() - now.getTime()) / 1000))
  return isFallback ? Math.min(rest, 30) : rest
}

export interface Quota {
  /** Charges as many requests if so many are left, else none; exact for concurrent calls. */
  take(account: Account, now: Date, count?: number): Promise<QuotaState>
  /** Returns the state without charging a request. */
  peek(account: Account, now: Date): Promise<QuotaState>
  close(): Promise<void>
}

export interface QuotaStore {
  /**
   * Atomically grants and counts as many of the wanted charges as the limit leaves for this account
   * and day; each of them whole or not at all.
   * @param day UTC, for example `2026-03-01`
   * @param wanted number of charges
   * @param size requests of each charge. @default 1
   */
  grant(accountId: string, day: string, limit: number, wanted: number, size?: number): Promise<QuotaGrant>
  used(accountId: string, day: string): Promise<number>
}

interface QuotaGrant {
  /** Requests: charges that were granted times their size. */
  readonly granted: number
  /** Requests counted so far, including the granted ones. */
  readonly used: number
}

const TIER_LIMITS: Readonly<Record<Tier, number>> = { free: 10, pro: 1000 }

/** Requests a UTC day: the account's own limit, or else that of its tier. */
export function dailyLimit({ tier, daily }: Pick<Account, 'tier' | 'daily'>): number {
  return daily ?? TIER_LIMITS[tier]
}

export function dayOf(now: Date): string {
  return now.toISOString().slice(0, 10)
}

export function endOfDay(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1))
}

/** Charges an account for the versions that it reads, each once a UTC day. */
export interface VersionQuota {
  /** Returns the state as it will be after {@link take}, without charging anything. */
  peek(account: Account, now: Date, sequences: readonly number[]): Promise<QuotaState>
  /** Charges a request for each version that is not paid for today, all of them or none. */
  take(account: Account, now: Date, sequences: readonly number[]): Promise<QuotaState>
}

/**
 * Creates the quota of the pages, where one version costs one request a day. A version is a quota
 * of its own with one request a day. It is marked after the charge, so that nobody reads what was
 * not paid; of one account, this process makes one charge at a time. Two processes that charge a
 * version in the same instant may both do so.
 */
export function createVersionQuota(quota: Quota): VersionQuota {
  const running = new Map<string, Promise<unknown>>()

  const charge = async (
    account: Account,
    now: Date,
    sequences: readonly number[],
    isPeek: boolean,
  ): Promise<QuotaState> => {
    // Ids of accounts contain no space.
    const createMark = (sequence: number): Account => ({
      ...account,
      id: `${account.id} version ${sequence}`,
      daily: 1,
    })
    const marks = [...new Set(sequences)].map(createMark)
    const states = await Promise.all(marks.map((mark) => quota.peek(mark, now)))
    const unpaid = marks.filter((_, at) => states[at]!.allowed)
    if (isPeek || unpaid.length === 0) return peekCharge(quota, account, now, unpaid.length)
    const state = await quota.take(account, now, unpaid.length)
    if (state.allowed) await Promise.all(unpaid.map((mark) => quota.take(mark, now)))
    return state
  }

  return {
    peek: (account, now, sequences) => charge(account, now, sequences, true),
    async take(account, now, sequences) {
      const before = running.get(account.id) ?? Promise.resolve()
      const result = before.then(() => charge(account, now, sequences, false))
      const ended = result.then(
        () => undefined,
        () => undefined,
      )
      running.set(account.id, ended)
      void ended.then(() => running.get(account.id) === ended && running.delete(account.id))
      return result
    },
  }
}

/** Returns the state of a quota as it would be after a charge, without charging anything. */
export async function peekCharge(quota: Quota, account: Account, now: Date, count = 1): Promise<QuotaState> {
  const { used, remaining, ...state } = await quota.peek(account, now)
  if (remaining < count) return { ...state, used, remaining, allowed: false }
  return { ...state, used: used + count, remaining: remaining - count, allowed: true }
}

/** Ignores the outcome of a promise that takes longer; `late` returns another, or throws. */
export async function withTimeLimit<T, Late = never>(
  promise: Promise<T>,
  milliseconds: number,
  late: () => Late,
): Promise<T | Late> {
  let timer: NodeJS.Timeout | undefined
  const expired = new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds)))
  try {
    return await Promise.race([promise, expired.then(late)])
  } finally {
    clearTimeout(timer)
  }
}
