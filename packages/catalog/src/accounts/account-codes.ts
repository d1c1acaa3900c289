import type { Queries } from '../database/schema.ts'
import type { Account } from '../types.ts'
import { accountColumns, normalizeEmail, readAccount } from './account-row.ts'

/** A code sent by mail: to set a new password, or to prove the address. */
export type MailCodeKind = 'reset' | 'verify'

/** Digest of a one-time code for an account. */
export interface Claim {
  /** SHA-256 of the code. */
  readonly hash: string
  readonly expiresAt: string
}

/** Kinds of codes that open an account with a new password. */
const OPENING_KINDS: readonly string[] = ['operator', 'reset']

/** Which code of an account matched. */
export interface CodeMatch {
  readonly account: Account
  readonly kind: 'claim' | 'operator' | 'reset'
}

/** Stores a code of an account and deletes its expired ones. A new code of an operator replaces the earlier one. */
export async function addCode(
  transaction: Queries,
  accountId: string,
  kind: 'operator' | MailCodeKind,
  { hash, expiresAt }: Claim,
  now: Date,
): Promise<void> {
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
    .values({ hash, account_id: accountId, kind, expires_at: expiresAt })
    .execute()
}

/** Finds the enabled account with this address whose claim code or one of whose codes to open it has this hash. Changes nothing. */
export async function matchCode(
  queries: Queries,
  email: string,
  hash: string,
  now: Date,
): Promise<CodeMatch | undefined> {
  const time = now.toISOString()
  const row = await queries
    .selectFrom('accounts')
    .leftJoin('account_codes', (join) =>
      join
        .onRef('account_codes.account_id', '=', 'accounts.id')
        .on('account_codes.hash', '=', hash)
        .on('account_codes.kind', 'in', OPENING_KINDS)
        .on('account_codes.expires_at', '>', time),
    )
    .select([...accountColumns, 'accounts.claim_expires_at', 'account_codes.kind'])
    .where('accounts.email', '=', normalizeEmail(email))
    .where('accounts.disabled_at', 'is', null)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const isClaim = row.claim_hash === hash && row.claim_expires_at !== null && row.claim_expires_at > time
  const kind = isClaim ? 'claim' : row.kind
  return kind === null ? undefined : { account: readAccount(row), kind: kind as CodeMatch['kind'] }
}

/** Deletes a code for proving the address of an account, and returns whether it was valid. */
export async function takeVerifyCode(
  transaction: Queries,
  accountId: string,
  hash: string,
  now: Date,
): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('account_codes')
    .where('hash', '=', hash)
    .where('account_id', '=', accountId)
    .where('kind', '=', 'verify')
    .where('expires_at', '>', now.toISOString())
    .executeTakeFirst()
  return numDeletedRows > 0n
}
