import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { recordAudit, type Actor } from '../audit/create-audit-store.ts'
import { CatalogError } from '../catalog-error.ts'
import type { Account, Tier } from '../types.ts'
import {
  createCode,
  type OneTimeCode,
  addCode,
  matchCode,
  takeVerifyCode,
  type MailCodeKind,
  accountColumns,
  findAccount,
  readAccount,
  lockAccount,
  updateAccount,
  type AccountChange,
} from './account-row.ts'
import type { Database, Method, Queries, Schema } from '../database/database.ts'
import { createAccessMethods, type AccessMethods, removeUser, revokeKeys } from './end-access.ts'
import { sql, type Transaction } from 'kysely'

/** RFC 5321, section 4.5.3.1. */
const MAX_EMAIL_LENGTH = 254
const emailSchema = z.email().max(MAX_EMAIL_LENGTH)

interface AccountRequest {
  readonly email: string
  readonly tier: Tier
  /** Requests a day; `null` for the limit of the tier. @default null */
  readonly daily?: number | null | undefined
  readonly actor: Actor
}

export interface ClaimedAccount {
  readonly account: Account
  /** One-time code for the account's owner, valid for seven days; only its SHA-256 is stored. */
  readonly claimCode: string
}

export interface AccountStore extends AccessMethods, OwnerMethods {
  readonly setTier: Method<typeof setTier>
  /**
   * Creates an unverified account for a sign-up, by default with a random id.
   * @throws CatalogError `email_taken`, `invalid_account`
   */
  create(account: AccountRequest & { readonly id?: string; readonly now?: Date }): Promise<Account>
  /**
   * Creates an account for another person, who takes it over with a code. After the code has
   * expired unused, the account can be created again.
   * @throws CatalogError `email_taken`, `invalid_account`
   */
  createClaimed(account: AccountRequest, now: Date): Promise<ClaimedAccount>
  list(): Promise<readonly Account[]>
  find(idOrEmail: string): Promise<Account | undefined>
}

/** Email addresses are stored in lower case, so that each has one account. */
export function createAccountStore(database: Database): AccountStore {
  const { queries, reads, now: readClock } = database
  const create = async (
    {
      id = `ac_${randomBytes(16).toString('hex')}`,
      email,
      tier,
      daily = null,
      actor,
    }: AccountRequest & { readonly id?: string },
    now: Date,
    claim?: OneTimeCode,
  ): Promise<Account> => {
    checkDailyLimit(daily)
    const time = now.toISOString()
    const settings = {
      tier,
      daily,
      claim_hash: claim?.hash ?? null,
      claim_expires_at: claim?.expiresAt ?? null,
      proven_at: claim === undefined ? null : time,
    }
    return queries.transaction().execute(async (transaction) => {
      const row = await transaction
        .insertInto('accounts')
        .values({ id, email: parseEmail(email), ...settings, created_at: time })
        .onConflict((conflict) =>
          claim === undefined
            ? conflict.doNothing()
            : conflict.column('email').doUpdateSet(settings).where('accounts.claim_expires_at', '<=', time),
        )
        .returning(accountColumns)
        .executeTakeFirst()
      if (row === undefined) {
        const hint = 'Change the existing account, or use another email address.'
        throw new CatalogError('email_taken', 'An account with this email address already exists', hint)
      }
      const details = { tier, daily, ...(row.id !== id && { replaces_expired_claim: true }) }
      const entry = { at: now, action: 'account.created', actor, accountId: row.id, details } as const
      await recordAudit(transaction, entry)
      return readAccount(row)
    })
  }
  return {
    create: ({ now = readClock(), ...account }) => create(account, now),

    async createClaimed(account, now) {
      const claim = createCode('claim', now)
      return { account: await create(account, now, claim), claimCode: claim.text }
    },

    async list() {
      const rows = await reads
        .selectFrom('accounts')
        .select(accountColumns)
        .orderBy('created_at')
        .orderBy('id')
        .execute()
      return rows.map(readAccount)
    },

    find: (idOrEmail) => findAccount(reads, idOrEmail),

    setTier: (...change) => setTier(database, ...change),
    ...createAccessMethods(database),
    ...createOwnerMethods(database),
  }
}

/** @throws CatalogError `invalid_account` */
function parseEmail(text: string): string {
  const { data } = emailSchema.safeParse(text.trim().toLowerCase())
  if (data !== undefined) return data
  const hint = `Use the form ada@example.org, with at most ${MAX_EMAIL_LENGTH} characters.`
  throw new CatalogError('invalid_account', 'This is not a valid email address', hint)
}

interface OwnerMethods {
  /** Creates a code to be mailed; `undefined` if no account can use one. */
  createMailCode(email: string, kind: MailCodeKind, now: Date): Promise<string | undefined>
  /** Returns the account of an address if the code resets access to it. The code stays valid. */
  checkCode(email: string, code: string, now: Date): Promise<Account | undefined>
  /**
   * Uses up all codes, replaces the password, ends all sessions and verifies the address.
   * Keys are revoked if the code came from an operator, or the address was not verified.
   */
  resetAccess(
    email: string,
    change: { code: string; passwordHash: string; now: Date },
  ): Promise<Account | undefined>
  /**
   * Returns `undefined` if the code is wrong, used or expired.
   * @throws CatalogError `unknown_account`
   */
  verifyAddress(accountId: string, code: string, now: Date): Promise<Account | undefined>
  /**
   * Replaces the user who signs in, which ends all sessions; `false` if this is no longer its user,
   * or the account is disabled.
   * @throws CatalogError `unknown_account`
   */
  replacePassword(
    accountId: string,
    change: { userId: string; passwordHash: string; now: Date },
  ): Promise<boolean>
}

function createOwnerMethods({ queries, reads }: Database): OwnerMethods {
  return {
    createMailCode: (email, kind, now) =>
      queries.transaction().execute(async (transaction) => {
        const found = await findAccount(transaction, email)
        if (found === undefined || found.disabled || (kind === 'verify' && found.verified)) return undefined
        const { id } = await lockAccount(transaction, found.id)
        return (await addCode(transaction, id, kind, now)).text
      }),

    checkCode: async (email, code, now) => (await matchCode(reads, email, code, now))?.account,

    resetAccess: (email, { code, passwordHash, now }) =>
      queries.transaction().execute(async (transaction) => {
        const found = await matchCode(transaction, email, code, now)
        if (found === undefined) return undefined
        await lockAccount(transaction, found.account.id)
        // Of several requests with one code, those that waited for the lock find it used up.
        const match = await matchCode(transaction, email, code, now)
        if (match === undefined) return undefined
        const { account, kind } = match
        const actor = { kind: 'account', id: account.id } as const
        await removeUser(transaction, account)
        if (kind === 'operator' || !account.verified)
          await revokeKeys(transaction, account.id, { actor, now })
        await transaction.deleteFrom('account_codes').where('account_id', '=', account.id).execute()
        await insertUser(transaction, account, passwordHash, now)
        await recordAudit(transaction, {
          at: now,
          action: kind === 'claim' ? 'account.claimed' : 'account.opened',
          actor,
          accountId: account.id,
          details: kind === 'claim' ? {} : { code_from: kind === 'operator' ? 'operator' : 'mail' },
        })
        return verifyAccount(transaction, account, now, { reset_at: now.toISOString() })
      }),

    verifyAddress: (accountId, code, now) =>
      queries.transaction().execute(async (transaction) => {
        const account = await lockAccount(transaction, accountId)
        if (!(await takeVerifyCode(transaction, account.id, code, now))) return undefined
        const actor = { kind: 'account', id: account.id } as const
        await recordAudit(transaction, { at: now, action: 'account.verified', actor, accountId: account.id })
        return verifyAccount(transaction, account, now)
      }),

    replacePassword: (accountId, { userId, passwordHash, now }) =>
      queries.transaction().execute(async (transaction) => {
        const account = await lockAccount(transaction, accountId)
        const { numDeletedRows } = await transaction
          .deleteFrom('sign_in_users')
          .where('id', '=', userId)
          .where('accountId', '=', account.id)
          .executeTakeFirst()
        if (account.disabled || numDeletedRows === 0n) return false
        await insertUser(transaction, account, passwordHash, now)
        const actor = { kind: 'account', id: account.id } as const
        const entry = { at: now, action: 'account.password_changed', actor, accountId: account.id } as const
        await recordAudit(transaction, entry)
        return true
      }),
  }
}

/** Gives the account also the tier that waited for this. */
async function verifyAccount(
  transaction: Transaction<Schema>,
  account: Account,
  now: Date,
  change: { readonly reset_at?: string } = {},
): Promise<Account> {
  const { id, pending } = account
  if (pending !== null)
    await recordTierChange(transaction, account, pending, { actor: { kind: 'account', id }, now })
  return updateAccount(transaction, id, {
    claim_hash: null,
    claim_expires_at: null,
    proven_at: now.toISOString(),
    ...change,
    ...(pending !== null && { ...pending, pending_tier: null, pending_daily: null }),
  })
}

/** Inserts the user who signs in to an account, as better-auth does. */
async function insertUser(
  transaction: Queries,
  { id: accountId, email }: Account,
  password: string,
  now: Date,
): Promise<void> {
  const id = randomBytes(16).toString('hex')
  const times = { createdAt: now.toISOString(), updatedAt: now.toISOString() }
  await transaction
    .insertInto('sign_in_users')
    .values({ id, name: email, email, emailVerified: sql`false`, accountId, ...times })
    .execute()
  const credential = {
    id: randomBytes(16).toString('hex'),
    userId: id,
    accountId: id,
    providerId: 'credential',
  }
  await transaction
    .insertInto('sign_in_credentials')
    .values({ ...credential, password, ...times })
    .execute()
}

const MAX_DAILY_LIMIT = 1_000_000_000

export interface TierChange {
  readonly tier: Tier
  /** Requests a day; `null` for the limit of the tier. @default unchanged */
  readonly daily?: number | null | undefined
  /** Raises the tier of an unverified account at once. @default false */
  readonly isUnverifiedAccepted?: boolean
  readonly actor: Actor
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
