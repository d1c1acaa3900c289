import type { Account, Mode, Quota, QuotaState } from '@packs/catalog'
import { formatCount, formatDuration } from '../../html/format-values.ts'

/** How much of a pack a visitor sees, and why; a full text that was charged says what is left of the day. */
export type Access =
  | { readonly scope: 'full'; readonly reason: 'recovery' }
  | { readonly scope: 'full'; readonly reason: 'pro'; readonly state: QuotaState }
  | { readonly scope: 'preview'; readonly reason: 'visitor' | 'free' }
  | { readonly scope: 'preview'; readonly reason: 'quota-exceeded'; readonly state: QuotaState }

/** Decides what is shown; a full text is charged to the account's daily allowance, except in recovery mode. */
export async function decideAccess(
  { mode }: Mode,
  account: Account | undefined,
  quota: Quota,
  now: Date,
): Promise<Access> {
  if (mode === 'recovery') return { scope: 'full', reason: 'recovery' }
  if (account === undefined) return { scope: 'preview', reason: 'visitor' }
  if (account.tier === 'free') return { scope: 'preview', reason: 'free' }
  const state = await quota.take(account, now)
  return state.allowed
    ? { scope: 'full', reason: 'pro', state }
    : { scope: 'preview', reason: 'quota-exceeded', state }
}

/** Says to an account why its request was not granted, and when to come again. */
export function describeExceededQuota(
  { limit, resetAt, isFallback }: QuotaState,
  now: Date,
): { readonly reason: string; readonly hint: string } {
  const requests = formatCount(limit, 'request')
  if (isFallback) {
    return {
      reason: `Requests cannot be counted now, and the part of today’s ${requests} that is granted meanwhile is used`,
      hint: 'Try again in a minute.',
    }
  }
  return {
    reason: `Today’s ${requests} of your account are used`,
    hint: `The next day begins in ${formatDuration(now, resetAt)}.`,
  }
}
