import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { z } from 'zod'
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
    async create({ id, email, tier, daily = null, claim, now = readClock() }) {
      checkDailyLimit(daily)
      const time = now.toISOString()
      const settings = {
        tier,
        daily,
        claim_hash: claim?.hash ?? null,
        claim_expires_at: claim?.expiresAt ?? null,
      }
      const row = await queries
        .insertInto('accounts')
        .values({
          id: id ?? `ac_${randomBytes(16).toString('hex')}`,
          email: parseEmail(email),
          ...settings,
          created_at: time,
        })
        .onConflict((conflict) =>
          claim === undefined
            ? conflict.doNothing()
            : conflict.column('email').doUpdateSet(settings).where('accounts.claim_expires_at', '<=', time),
        )
        .returning(columns)
        .executeTakeFirst()
      if (row !== undefined) return readAccount(row)
      const hint = 'Change the existing account, or use another address.'
      throw new CatalogError('email_taken', 'An account with this address already exists', hint)
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

    async setTier(idOrEmail, tier, daily) {
      checkDailyLimit(daily ?? null)
      const found = await requireAccount(queries, idOrEmail)
      const row = await queries
        .updateTable('accounts')
        .set(daily === undefined ? { tier } : { tier, daily })
        .where('id', '=', found.id)
        .returning(columns)
        .executeTakeFirstOrThrow()
      return readAccount(row)
    },
  }
}

/** @throws CatalogError `unknown_account` */
export async function requireAccount(queries: Queries, idOrEmail: string): Promise<Account> {
  const account = await findAccount(queries, idOrEmail)
  if (account !== undefined) return account
  const hint = 'Give the id or the e-mail address of an account.'
  throw new CatalogError('unknown_account', 'There is no such account', hint)
}

export function readAccount(row: Omit<Account, 'tier'> & { readonly tier: string }): Account {
  return { ...row, tier: row.tier as Tier }
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
