import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import { recordAudit } from '../audit/create-audit-store.ts'
import { CatalogError } from '../catalog-error.ts'
import type { AccountStore } from '../catalog.ts'
import type { Database } from '../database/dialect.ts'
import { cleanText } from '../database/normalize-text.ts'
import type { Queries } from '../database/schema.ts'
import type { Account, Tier } from '../types.ts'

const MAX_DAILY_LIMIT = 1_000_000_000
/** An hour. */
const MAX_CLAIM_ATTEMPTS = 10
/** RFC 5321, section 4.5.3.1. */
const MAX_EMAIL_LENGTH = 254
const emailSchema = z.email().max(MAX_EMAIL_LENGTH)
const columns = ['id', 'email', 'tier', 'daily', 'created_at'] as const

interface ClaimAttempt {
  readonly email: string
  readonly hash: string
  readonly now: Date
  /** Whether a matching claim is removed from its account. */
  readonly isRedeemed: boolean
}

/** Creates the store of accounts in a database. Addresses are stored in lower case, so that one address has one account. */
export function createAccountStore({ queries, reads, now: readClock }: Database): AccountStore {
  const tryClaim = async (attempt: ClaimAttempt): Promise<Account | undefined> => {
    const id = await matchClaim(queries, { ...attempt, email: normalizeEmail(attempt.email) })
    return id === undefined ? undefined : findAccount(queries, id)
  }
  return {
    create({ id = createAccountId(), email, tier, daily = null, claim, actor, now = readClock() }) {
      checkDailyLimit(daily)
      const time = now.toISOString()
      const settings = {
        tier,
        daily,
        claim_hash: claim?.hash ?? null,
        claim_expires_at: claim?.expiresAt ?? null,
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
          .returning(columns)
          .executeTakeFirst()
        if (row === undefined) throw emailTakenError()
        const details = { tier, daily, again: row.id !== id }
        await recordAudit(transaction, {
          at: now,
          action: 'account.created',
          actor,
          accountId: row.id,
          details,
        })
        return readAccount(row)
      })
    },

    checkClaim: (email, hash, now) => tryClaim({ email, hash, now, isRedeemed: false }),

    redeem: (email, hash, now) => tryClaim({ email, hash, now, isRedeemed: true }),

    async list() {
      const rows = await reads
        .selectFrom('accounts')
        .select(columns)
        .orderBy('created_at')
        .orderBy('id')
        .execute()
      return rows.map(readAccount)
    },

    find: (idOrEmail) => findAccount(reads, idOrEmail),

    setTier(idOrEmail, { tier, daily, actor }) {
      checkDailyLimit(daily ?? null)
      return queries.transaction().execute(async (transaction) => {
        const found = await requireAccount(transaction, idOrEmail)
        const before = await lockAccount(transaction, found.id)
        const after = { ...before, tier, daily: daily === undefined ? before.daily : daily }
        if (after.tier === before.tier && after.daily === before.daily) return after
        await transaction
          .updateTable('accounts')
          .set({ tier, daily: after.daily })
          .where('id', '=', before.id)
          .execute()
        await recordAudit(transaction, {
          at: readClock(),
          action: 'account.tier_changed',
          actor,
          accountId: before.id,
          details: { tier_before: before.tier, tier, daily_before: before.daily, daily: after.daily },
        })
        return after
      })
    },
  }
}

/** @throws CatalogError `unknown_account` */
export async function requireAccount(queries: Queries, idOrEmail: string): Promise<Account> {
  const account = await findAccount(queries, idOrEmail)
  if (account === undefined) throw unknownAccountError()
  return account
}

export function readAccount(row: Omit<Account, 'tier'> & { readonly tier: string }): Account {
  return { ...row, tier: row.tier as Tier }
}

/** Locks the row of an account until the transaction ends. @throws CatalogError `unknown_account` if it is gone */
export async function lockAccount(transaction: Queries, id: string): Promise<Account> {
  const row = await transaction
    .updateTable('accounts')
    .set((account) => ({ tier: account.ref('tier') }))
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirst()
  if (row === undefined) throw unknownAccountError()
  return readAccount(row)
}

function unknownAccountError(): CatalogError {
  const hint = 'Give the id or the e-mail address of an account.'
  return new CatalogError('unknown_account', 'There is no such account', hint)
}

function emailTakenError(): CatalogError {
  const hint = 'Change the existing account, or use another address.'
  return new CatalogError('email_taken', 'An account with this address already exists', hint)
}

function createAccountId(): string {
  return `ac_${randomBytes(16).toString('hex')}`
}

async function findAccount(queries: Queries, idOrEmail: string): Promise<Account | undefined> {
  const row = await queries
    .selectFrom('accounts')
    .select(columns)
    .where(idOrEmail.includes('@') ? 'email' : 'id', '=', normalizeEmail(idOrEmail))
    .executeTakeFirst()
  return row && readAccount(row)
}

function checkDailyLimit(daily: number | null): void {
  if (daily === null || (Number.isInteger(daily) && daily >= 0 && daily <= MAX_DAILY_LIMIT)) return
  throw new CatalogError(
    'invalid_account',
    `${daily} is not a valid number of requests a day`,
    `Give a whole number from 0 to ${MAX_DAILY_LIMIT}, or none for the limit of the tier.`,
  )
}

function normalizeEmail(email: string): string {
  return cleanText(email.trim().normalize('NFC').toLowerCase())
}

/**
 * Returns the id of the account whose claim matches. Only ten attempts an hour are checked, so guessing is hopeless and blocks
 * the owner for at most an hour. A match resets the count.
 */
function matchClaim(
  queries: Queries,
  { email, hash, now, isRedeemed }: ClaimAttempt,
): Promise<string | undefined> {
  const hour = now.toISOString().slice(0, 13)
  return queries.transaction().execute(async (transaction) => {
    const claimed = await transaction
      .updateTable('accounts')
      .set({
        claim_hour: hour,
        claim_attempts: sql`case when claim_hour = ${hour} then claim_attempts + 1 else 1 end`,
      })
      .where('email', '=', email)
      .where('claim_expires_at', '>', now.toISOString())
      .where((where) =>
        where.or([
          where('claim_hour', 'is', null),
          where('claim_hour', '<>', hour),
          where('claim_attempts', '<', MAX_CLAIM_ATTEMPTS),
        ]),
      )
      .returning(['id', 'claim_hash'])
      .executeTakeFirst()
    if (claimed?.claim_hash !== hash) return undefined
    await transaction
      .updateTable('accounts')
      .set({ claim_hour: null, claim_attempts: 0 })
      .$if(isRedeemed, (update) => update.set({ claim_hash: null, claim_expires_at: null }))
      .where('id', '=', claimed.id)
      .execute()
    if (isRedeemed) {
      const actor = { kind: 'account', id: claimed.id } as const
      await recordAudit(transaction, { at: now, action: 'account.claimed', actor, accountId: claimed.id })
    }
    return claimed.id
  })
}

/**
 * Parses an e-mail address: trimmed and in lower case.
 *
 * @throws CatalogError `invalid_account`
 */
function parseEmail(text: string): string {
  const { data } = emailSchema.safeParse(text.trim().toLowerCase())
  if (data !== undefined) return data
  const hint = `Use the form ada@example.org, with at most ${MAX_EMAIL_LENGTH} characters.`
  throw new CatalogError('invalid_account', 'This is not a valid e-mail address', hint)
}
