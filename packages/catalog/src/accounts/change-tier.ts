import type { Transaction } from 'kysely'
import type { Actor } from '../audit/create-audit-store.ts'
import { recordAudit } from '../audit/create-audit-store.ts'
import { CatalogError } from '../catalog-error.ts'
import type { Database } from '../database/dialect.ts'
import type { Schema } from '../database/schema.ts'
import type { Account, Tier } from '../types.ts'
import { addCode, type Claim } from './account-codes.ts'
import { lockAccount, updateAccount } from './account-row.ts'

const MAX_DAILY_LIMIT = 1_000_000_000

export interface TierChange {
  readonly tier: Tier
  /** Requests a day; `null` for the limit of the tier. @default unchanged */
  readonly daily?: number | null | undefined
  /** Opens the account if it is unproven and its tier is raised. */
  readonly code?: Claim
  /** Raises the tier of an unproven account at once. @default false */
  readonly isUnprovenAccepted?: boolean
  readonly actor: Actor
  /** @default the catalog's clock */
  readonly now?: Date
}

/**
 * Changes tier and daily limit. Where that would raise the tier of an unproven account, the change waits until its address is
 * proven, and the code is stored to open it.
 *
 * @throws CatalogError `unknown_account`, `invalid_account`, or `account_unproven` if a raise would need a code
 */
export async function setTier(
  { queries, now: readClock }: Database,
  idOrEmail: string,
  { tier, daily: given, code, isUnprovenAccepted = false, actor, now = readClock() }: TierChange,
): Promise<Account> {
  checkDailyLimit(given ?? null)
  return queries.transaction().execute(async (transaction) => {
    const before = await lockAccount(transaction, idOrEmail)
    const daily = given === undefined ? before.daily : given
    const isRaised = tier === 'pro' && before.tier === 'free'
    if (!isRaised || before.proven || isUnprovenAccepted) {
      await recordTierChange(transaction, before, { tier, daily }, { actor, now })
      const change = { tier, daily, pending_tier: null, pending_daily: null }
      return updateAccount(transaction, before.id, change)
    }
    if (code === undefined) throw accountUnprovenError(before)
    await addCode(transaction, before.id, 'operator', code, now)
    await recordAudit(transaction, {
      at: now,
      action: 'account.tier_offered',
      actor,
      accountId: before.id,
      details: { tier, daily },
    })
    return updateAccount(transaction, before.id, { pending_tier: tier, pending_daily: daily })
  })
}

/** Records a change of tier or limit in the audit log, if there is one. */
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

function accountUnprovenError({ email }: Account): CatalogError {
  return new CatalogError(
    'account_unproven',
    `Nobody has proven to own ${email}: whoever signed up with it may be somebody else`,
    'Give its owner a code with `pack accounts set-tier`, or accept the risk with --unproven.',
  )
}

/** @throws CatalogError `invalid_account` unless it is a whole number, or `null` for the limit of the tier */
export function checkDailyLimit(daily: number | null): void {
  if (daily === null || (Number.isInteger(daily) && daily >= 0 && daily <= MAX_DAILY_LIMIT)) return
  throw new CatalogError(
    'invalid_account',
    `${daily} is not a valid number of requests a day`,
    `Give a whole number from 0 to ${MAX_DAILY_LIMIT}, or none for the limit of the tier.`,
  )
}
