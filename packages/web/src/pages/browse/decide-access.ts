import { formatCount, formatWait } from '../../html/format-values.ts'
import type { Account, Mode, Quota, QuotaState } from '@packs/catalog'

/** How much of a pack a visitor sees, and why; a full text that was charged says what is left of the day. */
export type Access =
  | { readonly sees: 'full'; readonly why: 'recovery' }
  | { readonly sees: 'full'; readonly why: 'pro'; readonly state: QuotaState }
  | { readonly sees: 'preview'; readonly why: 'visitor' | 'free' }
  | { readonly sees: 'preview'; readonly why: 'spent'; readonly state: QuotaState }

/** Decides what is shown; a full text is charged to the account's daily allowance, except in recovery mode. */
export async function decideAccess(
  { mode }: Mode,
  account: Account | undefined,
  quota: Quota,
  now: Date,
): Promise<Access> {
  if (mode === 'recovery') return { sees: 'full', why: 'recovery' }
  if (account === undefined) return { sees: 'preview', why: 'visitor' }
  if (account.tier === 'free') return { sees: 'preview', why: 'free' }
  const state = await quota.take(account, now)
  return state.allowed ? { sees: 'full', why: 'pro', state } : { sees: 'preview', why: 'spent', state }
}

/** Says to an account why its request was not granted, and when to come again. */
export function explainSpent(
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
    hint: `The next day begins in ${formatWait(now, resetAt)}.`,
  }
}
