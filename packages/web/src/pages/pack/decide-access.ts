import type { QuotaState } from '@packs/catalog'
import { formatCount, formatDuration } from '../../html/display-text.ts'
import type { Viewer } from '../page.ts'

/**
 * How much of a pack, or of the packs that a search finds, a visitor sees, and why. It includes the
 * state of the quota if that was charged or is exceeded.
 */
export type Access =
  | { readonly scope: 'full'; readonly reason: 'recovery' }
  | { readonly scope: 'full'; readonly reason: 'pro'; readonly state: QuotaState }
  | { readonly scope: 'preview'; readonly reason: 'visitor' | 'free' }
  | { readonly scope: 'preview'; readonly reason: 'quota-exceeded'; readonly state: QuotaState }

/**
 * Decides how much to show. A full text is charged to the account's daily quota, except in recovery
 * mode.
 *
 * @param charge takes the requests from the quota
 */
export async function decideAccess(
  { mode, account }: Viewer,
  charge: (account: NonNullable<Viewer['account']>) => Promise<QuotaState>,
): Promise<Access> {
  if (mode.mode === 'recovery') return { scope: 'full', reason: 'recovery' }
  if (account === undefined) return { scope: 'preview', reason: 'visitor' }
  if (account.tier === 'free') return { scope: 'preview', reason: 'free' }
  const state = await charge(account)
  return state.allowed
    ? { scope: 'full', reason: 'pro', state }
    : { scope: 'preview', reason: 'quota-exceeded', state }
}

/** Describes why the quota refused a request, and when to try again. */
export function describeExceededQuota(
  { limit, resetAt, isFallback }: QuotaState,
  now: Date,
): { readonly reason: string; readonly hint: string } {
  const requests = formatCount(limit, 'request')
  const reason = isFallback
    ? `Requests cannot be counted at the moment, and the part of today’s ${requests} available meanwhile is used up`
    : `Your account has used up today’s ${requests}`
  const reset = `The quota resets in ${formatDuration(now, resetAt)}.`
  return { reason, hint: isFallback ? 'Try again in a minute.' : reset }
}
