import type { Updateable } from 'kysely'
import { CatalogError } from '../catalog-error.ts'
import { cleanText, type AccountTable, type Queries } from '../database/database.ts'
import type { Account, Tier } from '../types.ts'
import { hash, randomBytes } from 'node:crypto'

export const accountColumns = [
  'accounts.id',
  'accounts.email',
  'accounts.tier',
  'accounts.daily',
  'accounts.claim_hash',
  'accounts.proven_at',
  'accounts.disabled_at',
  'accounts.reset_at',
  'accounts.pending_tier',
  'accounts.pending_daily',
  'accounts.created_at',
] as const

export type AccountRow = Omit<AccountTable, 'claim_expires_at'>

/** An account that waits for its claim code counts as verified: nobody enters it without. */
export function readAccount(row: AccountRow): Account {
  return {
    id: row.id,
    email: row.email,
    tier: row.tier as Tier,
    daily: row.daily,
    created_at: row.created_at,
    verified: row.proven_at !== null || row.claim_hash !== null,
    disabled: row.disabled_at !== null,
    reset_at: row.reset_at,
    pending: row.pending_tier === null ? null : { tier: row.pending_tier as Tier, daily: row.pending_daily },
  }
}

export async function findAccount(queries: Queries, idOrEmail: string): Promise<Account | undefined> {
  const row = await queries
    .selectFrom('accounts')
    .select(accountColumns)
    .where(idOrEmail.includes('@') ? 'email' : 'id', '=', normalizeEmail(idOrEmail))
    .executeTakeFirst()
  return row && readAccount(row)
}

/**
 * Keeps others from changing it until the transaction ends.
 * @throws CatalogError `unknown_account`
 */
export async function lockAccount(transaction: Queries, idOrEmail: string): Promise<Account> {
  const row = await transaction
    .updateTable('accounts')
    .set((account) => ({ tier: account.ref('tier') }))
    .where(idOrEmail.includes('@') ? 'email' : 'id', '=', normalizeEmail(idOrEmail))
    .returning(accountColumns)
    .executeTakeFirst()
  if (row !== undefined) return readAccount(row)
  const hint = 'Give the id or the email address of an account.'
  throw new CatalogError('unknown_account', 'There is no such account', hint)
}

/** @throws CatalogError `account_disabled` */
export function requireEnabled({ disabled }: Account): void {
  if (!disabled) return
  const hint = 'An operator enables it with `pack accounts enable`.'
  throw new CatalogError('account_disabled', 'The account is disabled', hint)
}

export async function updateAccount(
  transaction: Queries,
  id: string,
  change: Updateable<AccountTable>,
): Promise<Account> {
  const row = await transaction
    .updateTable('accounts')
    .set(change)
    .where('id', '=', id)
    .returning(accountColumns)
    .executeTakeFirstOrThrow()
  return readAccount(row)
}

export function normalizeEmail(email: string): string {
  return cleanText(email.trim().normalize('NFC').toLowerCase())
}

/** Crockford's base32, without letters that look like digits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const CODE_LENGTH = 25
const HOUR_MS = 60 * 60 * 1000

export type MailCodeKind = 'reset' | 'verify'

type CodeKind = 'claim' | 'operator' | MailCodeKind

/** Hours that a code is valid. Operators pass theirs on by hand, the others are mailed. */
const HOURS: Readonly<Record<CodeKind, number>> = { claim: 7 * 24, operator: 7 * 24, reset: 1, verify: 24 }

/** A new one-time code for an account. Only its digest is stored. */
export interface OneTimeCode {
  readonly text: string
  readonly hash: string
  readonly expiresAt: string
}

/** An account and, if its owner needs one, a code that resets access. Only its digest is stored. */
export interface AccountChange {
  readonly account: Account
  readonly code: Pick<OneTimeCode, 'text' | 'expiresAt'> | undefined
}

/** Creates a code of 125 random bits that is easy to type: `7K3QX-…`, five groups of five. */
export function createCode(kind: CodeKind, now: Date): OneTimeCode {
  const digits = Array.from(randomBytes(CODE_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('')
  const text = digits.match(/.{5}/g)?.join('-') ?? digits
  const expiresAt = new Date(now.getTime() + HOURS[kind] * HOUR_MS).toISOString()
  return { text, hash: hashCode(text), expiresAt }
}

/** Accepts lower case, spaces, `O` for `0`, and `I` or `L` for `1`. */
function hashCode(text: string): string {
  const typed = text.slice(0, 100).toUpperCase().replace(/[\s-]/g, '')
  return hash('sha256', typed.replaceAll('O', '0').replace(/[IL]/g, '1'))
}

const RESET_KINDS: readonly string[] = ['operator', 'reset']

export interface CodeMatch {
  readonly account: Account
  readonly kind: 'claim' | 'operator' | 'reset'
}

/** Stores a new code and deletes expired ones; one of an operator replaces the earlier one. */
export async function addCode(
  transaction: Queries,
  accountId: string,
  kind: 'operator' | MailCodeKind,
  now: Date,
): Promise<OneTimeCode> {
  const code = createCode(kind, now)
  await transaction
    .deleteFrom('account_codes')
    .where('account_id', '=', accountId)
    .where((where) =>
      where.or([
        where('expires_at', '<=', now.toISOString()),
        ...(kind === 'operator' ? [where('kind', '=', kind)] : []),
      ]),
    )
    .execute()
  await transaction
    .insertInto('account_codes')
    .values({ hash: code.hash, account_id: accountId, kind, expires_at: code.expiresAt })
    .execute()
  return code
}

/** Finds the enabled account with this email address and code. Changes nothing. */
export async function matchCode(
  queries: Queries,
  email: string,
  code: string,
  now: Date,
): Promise<CodeMatch | undefined> {
  const time = now.toISOString()
  const sha256 = hashCode(code)
  const row = await queries
    .selectFrom('accounts')
    .leftJoin('account_codes', (join) =>
      join
        .onRef('account_codes.account_id', '=', 'accounts.id')
        .on('account_codes.hash', '=', sha256)
        .on('account_codes.kind', 'in', RESET_KINDS)
        .on('account_codes.expires_at', '>', time),
    )
    .select([...accountColumns, 'accounts.claim_expires_at', 'account_codes.kind'])
    .where('accounts.email', '=', normalizeEmail(email))
    .where('accounts.disabled_at', 'is', null)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const isClaim = row.claim_hash === sha256 && row.claim_expires_at !== null && row.claim_expires_at > time
  const kind = isClaim ? 'claim' : row.kind
  return kind === null ? undefined : { account: readAccount(row), kind: kind as CodeMatch['kind'] }
}

/** Deletes a code for verifying an email address, and returns whether it was valid. */
export async function takeVerifyCode(
  transaction: Queries,
  accountId: string,
  code: string,
  now: Date,
): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('account_codes')
    .where('hash', '=', hashCode(code))
    .where('account_id', '=', accountId)
    .where('kind', '=', 'verify')
    .where('expires_at', '>', now.toISOString())
    .executeTakeFirst()
  return numDeletedRows > 0n
}
