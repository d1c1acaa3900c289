import { randomBytes } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import { recordAudit } from '../audit/create-audit-store.ts'
import type { Database } from '../database/dialect.ts'
import type { Queries, Schema } from '../database/schema.ts'
import type { Account } from '../types.ts'
import { addCode, matchCode, takeVerifyCode, type MailCodeKind } from './account-codes.ts'
import { findAccount, lockAccount, updateAccount } from './account-row.ts'
import { recordTierChange } from './change-tier.ts'
import { removeUser, revokeKeys } from './end-access.ts'

export interface OwnerMethods {
  /**
   * Creates a code to be mailed to the owner of an address. Returns `undefined` if no account can
   * use one: the address is unknown, the account disabled, or already verified.
   */
  createMailCode(email: string, kind: MailCodeKind, now: Date): Promise<string | undefined>
  /**
   * Returns the account of an email address if the code resets access to it. The code stays valid.
   */
  checkCode(email: string, code: string, now: Date): Promise<Account | undefined>
  /**
   * Resets access to an account with a code: uses up its codes, replaces the password, ends all
   * sessions and verifies the email address. Keys are revoked if the code came from an operator, or
   * the address was not verified before.
   */
  resetAccess(
    email: string,
    change: { code: string; passwordHash: string; now: Date },
  ): Promise<Account | undefined>
  /**
   * Verifies the address of an account with a mailed code. Returns `undefined` if the code is
   * wrong, used or expired.
   *
   * @throws CatalogError `unknown_account`
   */
  verifyAddress(accountId: string, code: string, now: Date): Promise<Account | undefined>
  /**
   * Replaces the user who signs in to an account by one with another password, which ends all
   * sessions. Returns `false` if this is no longer its user, because it was reset meanwhile, or if
   * the account is disabled.
   *
   * @throws CatalogError `unknown_account`
   */
  replacePassword(
    accountId: string,
    change: { userId: string; passwordHash: string; now: Date },
  ): Promise<boolean>
}

/**
 * Creates the methods with which the owner of an account verifies its email address or resets
 * access with a new password.
 */
export function createOwnerMethods({ queries, reads }: Database): OwnerMethods {
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

/**
 * Records that the address of an account is verified, and gives it the tier that waited for this.
 */
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
