import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { recordAudit } from '../audit/create-audit-store.ts'
import { CatalogError } from '../catalog-error.ts'
import type { Actor } from '../audit/create-audit-store.ts'
import type { Account, Tier } from '../types.ts'
import { createCode, type OneTimeCode } from './account-codes.ts'
import type { Database, Method } from '../database/dialect.ts'
import { accountColumns, findAccount, readAccount } from './account-row.ts'
import { checkDailyLimit, setTier } from './change-tier.ts'
import { createAccessMethods, type AccessMethods } from './end-access.ts'
import { createOwnerMethods, type OwnerMethods } from './reset-access.ts'

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
   * Creates an unverified account for a sign-up.
   *
   * @param account `id` is `ac_` and 32 hexadecimal digits, by default random; `now` is by default
   *   the catalog's clock
   * @throws CatalogError `email_taken`, `invalid_account`
   */
  create(account: AccountRequest & { readonly id?: string; readonly now?: Date }): Promise<Account>
  /**
   * Creates an account for another person, who takes it over with a code. If the code expires
   * unused, the account can be created again, with tier and limit.
   *
   * @throws CatalogError `email_taken`, `invalid_account`
   */
  createClaimed(account: AccountRequest, now: Date): Promise<ClaimedAccount>
  list(): Promise<readonly Account[]>
  find(idOrEmail: string): Promise<Account | undefined>
}

/**
 * Creates the store of accounts in a database. Email addresses are stored in lower
 * case, so that each has one account.
 */
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

/**
 * Parses an email address: trimmed and in lower case.
 *
 * @throws CatalogError `invalid_account`
 */
function parseEmail(text: string): string {
  const { data } = emailSchema.safeParse(text.trim().toLowerCase())
  if (data !== undefined) return data
  const hint = `Use the form ada@example.org, with at most ${MAX_EMAIL_LENGTH} characters.`
  throw new CatalogError('invalid_account', 'This is not a valid email address', hint)
}
