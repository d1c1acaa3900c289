import { randomBytes } from 'node:crypto'
import { CatalogError } from '../catalog-error.ts'
import type { AccountStore } from '../catalog.ts'
import { cleanText } from '../database/clean-text.ts'
import type { Database } from '../database/dialect.ts'
import type { Queries } from '../database/schema.ts'
import type { Account, Tier } from '../types.ts'
import { parseEmail } from './parse-email.ts'
import { matchClaim, type ClaimAttempt } from './match-claim.ts'

const LARGEST_ALLOWANCE = 1_000_000_000
const columns = ['id', 'email', 'tier', 'daily', 'created_at'] as const

/** Accounts in a database; an address is kept in lower case, so that it belongs to one account however it is written. */
export function createAccountStore({ queries, reads, now: readClock }: Database): AccountStore {
  const tryClaim = async (attempt: ClaimAttempt): Promise<Account | undefined> => {
    const id = await matchClaim(queries, { ...attempt, email: normaliseEmail(attempt.email) })
    return id === undefined ? undefined : findAccount(queries, id)
  }
  return {
    async create({ id, email, tier, daily = null, claim, now = readClock() }) {
      requireAllowance(daily)
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
      const hint = 'Change the account that has it, or use another address.'
      throw new CatalogError('email_taken', 'An account has this address already', hint)
    },

    checkClaim: (email, hash, now) => tryClaim({ email, hash, now, isTaken: false }),

    redeem: (email, hash, now) => tryClaim({ email, hash, now, isTaken: true }),

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
      requireAllowance(daily ?? null)
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
  const hint = 'Name the id or the address of an account.'
  throw new CatalogError('unknown_account', 'There is no such account', hint)
}

export function readAccount(row: Omit<Account, 'tier'> & { readonly tier: string }): Account {
  return { ...row, tier: row.tier as Tier }
}

async function findAccount(queries: Queries, idOrEmail: string): Promise<Account | undefined> {
  const row = await queries
    .selectFrom('accounts')
    .select(columns)
    .where(idOrEmail.includes('@') ? 'email' : 'id', '=', normaliseEmail(idOrEmail))
    .executeTakeFirst()
  return row && readAccount(row)
}

function requireAllowance(daily: number | null): void {
  if (daily === null || (Number.isInteger(daily) && daily >= 0 && daily <= LARGEST_ALLOWANCE)) return
  throw new CatalogError(
    'invalid_account',
    `${daily} is no number of requests a day`,
    `Give a whole number from 0 to ${LARGEST_ALLOWANCE}, or none for that of the tier.`,
  )
}

function normaliseEmail(email: string): string {
  return cleanText(email.trim().normalize('NFC').toLowerCase())
}
