import type { Updateable } from 'kysely'
import { CatalogError } from '../catalog-error.ts'
import { cleanText } from '../database/clean-text.ts'
import type { AccountTable, Queries } from '../database/schema.ts'
import type { Account, Tier } from '../types.ts'

/** Columns that {@link readAccount} needs. */
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

/** Normalizes an email address as it is stored: lower case, NFC. */
export function normalizeEmail(email: string): string {
  return cleanText(email.trim().normalize('NFC').toLowerCase())
}
