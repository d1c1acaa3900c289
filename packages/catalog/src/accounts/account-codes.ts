import { hash, randomBytes } from 'node:crypto'
import type { Queries } from '../database/schema.ts'
import type { Account } from '../types.ts'
import { accountColumns, normalizeEmail, readAccount } from './account-row.ts'

/** Crockford's base32, without letters that look like digits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const CODE_LENGTH = 25
const HOUR_MS = 60 * 60 * 1000

/** A code sent by mail: to set a new password, or to verify the email address. */
export type MailCodeKind = 'reset' | 'verify'

type CodeKind = 'claim' | 'operator' | MailCodeKind

/** Hours that a code is valid. Operators pass theirs on by hand, the others are mailed. */
const HOURS: Readonly<Record<CodeKind, number>> = { claim: 7 * 24, operator: 7 * 24, reset: 1, verify: 24 }

/** A new one-time code for an account. Only its digest is stored. */
export interface OneTimeCode {
  readonly text: string
  /** SHA-256 of the text. */
  readonly hash: string
  readonly expiresAt: string
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

/** Kinds of codes that reset access with a new password. */
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
