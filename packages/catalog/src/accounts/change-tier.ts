import type { Transaction } from 'kysely'
import { type Actor, recordAudit } from '../audit/create-audit-store.ts'
import { CatalogError } from '../catalog-error.ts'
import type { Database } from '../database/dialect.ts'
import type { Schema } from '../database/schema.ts'
import type { Account, Tier } from '../types.ts'
import { addCode, type OneTimeCode } from './account-codes.ts'
import { lockAccount, updateAccount } from './account-row.ts'

const MAX_DAILY_LIMIT = 1_000_000_000

export interface TierChange {
  readonly tier: Tier
  /** Requests a day; `null` for the limit of the tier. @default unchanged */
  readonly daily?: number | null | undefined
  /** Raises the tier of an unverified account at once. @default false */
  readonly isUnverifiedAccepted?: boolean
  readonly actor: Actor
}

/** An account and, if its owner needs one, a code that resets access. Only its digest is stored. */
export interface AccountChange {
  readonly account: Account
  readonly code: Pick<OneTimeCode, 'text' | 'expiresAt'> | undefined
}

/**
 * Changes tier and daily limit of an account. The tier of an unverified account is not raised: that
 * waits until its address is verified, and the result has a code for its owner, who gets the new
 * tier with it. With `isUnverifiedAccepted` it is raised at once.
 * @param now by default the catalog's clock
 * @throws CatalogError `unknown_account`, `invalid_account`
 */
export async function setTier(
  { queries, now: readClock }: Database,
  idOrEmail: string,
  { tier, daily: requested, isUnverifiedAccepted = false, actor }: TierChange,
  now: Date = readClock(),
): Promise<AccountChange> {
  checkDailyLimit(requested ?? null)
  return queries.transaction().execute(async (transaction) => {
    const before = await lockAccount(transaction, idOrEmail)
    const { id } = before
    const daily = requested === undefined ? before.daily : requested
    const isRaised = tier === 'pro' && before.tier === 'free'
    if (!isRaised || before.verified || isUnverifiedAccepted) {
      await recordTierChange(transaction, before, { tier, daily }, { actor, now })
      const change = { tier, daily, pending_tier: null, pending_daily: null }
      return { account: await updateAccount(transaction, id, change), code: undefined }
    }
    const code = await addCode(transaction, id, 'operator', now)
    const details = { tier, daily }
    await recordAudit(transaction, { at: now, action: 'account.tier_offered', actor, accountId: id, details })
    const account = await updateAccount(transaction, id, { pending_tier: tier, pending_daily: daily })
    return { account, code }
  })
}

export async function recordTierChange(
  transaction: Transaction<Schema>,
  before: Account,
  { tier, daily }: Pick<Account, 'tier' | 'daily'>,
  { actor, now }: { readonly actor: Actor; readonly now: Date },
): Promise<void> {
  if (tier === before.tier && daily === before.daily) return
  await recordAudit(transaction, {
    at: now,
    action: 'account.tier_changed',
    actor,
    accountId: before.id,
    details: { tier_before: before.tier, tier, daily_before: before.daily, daily },
  })
}

/** @throws CatalogError `invalid_account` unless it is a whole number, or `null` */
export function checkDailyLimit(daily: number | null): void {
  if (daily === null || (Number.isInteger(daily) && daily >= 0 && daily <= MAX_DAILY_LIMIT)) return
  throw new CatalogError(
    'invalid_account',
    `${daily} is not a valid number of requests a day`,
    `Give a whole number from 0 to ${MAX_DAILY_LIMIT}, or none for the limit of the tier.`,
  )
}
