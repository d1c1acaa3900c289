import type { Transaction } from 'kysely'
import {
  recordAudit,
  type Actor,
  type AuditAction,
  type AuditDetails,
  type NewAuditEntry,
} from '../audit/create-audit-store.ts'
import type { Database, Queries, Schema } from '../database/database.ts'
import type { Account, KeyRow } from '../types.ts'
import { addCode, type AccountChange, lockAccount, updateAccount } from './account-row.ts'

export interface AccessMethods {
  /**
   * Ends sessions, password and keys. The code in the result resets access.
   * @throws CatalogError `unknown_account`
   */
  reset(idOrEmail: string, change: { actor: Actor; now: Date }): Promise<AccountChange>
  /**
   * Ends sessions and stops keys, or enables the account again.
   * @throws CatalogError `unknown_account`
   */
  setDisabled(idOrEmail: string, isDisabled: boolean, change: { actor: Actor; now: Date }): Promise<Account>
  /**
   * Deletes an account with all that it has, and returns what it was.
   * @throws CatalogError `unknown_account`
   */
  delete(idOrEmail: string, change: { actor: Actor; now: Date }): Promise<Account>
}

export function createAccessMethods({ queries, counts }: Database): AccessMethods {
  return {
    reset: (idOrEmail, { actor, now }) =>
      queries.transaction().execute(async (transaction) => {
        const account = await lockAccount(transaction, idOrEmail)
        const { id } = account
        await removeUser(transaction, account)
        await revokeKeys(transaction, id, { actor, now })
        await transaction.deleteFrom('account_codes').where('account_id', '=', id).execute()
        const code = await addCode(transaction, id, 'operator', now)
        await recordAudit(transaction, { at: now, action: 'account.reset', actor, accountId: id })
        const change = { claim_hash: null, claim_expires_at: null, reset_at: now.toISOString() }
        return { account: await updateAccount(transaction, id, change), code }
      }),

    setDisabled: (idOrEmail, isDisabled, { actor, now }) =>
      queries.transaction().execute(async (transaction) => {
        const account = await lockAccount(transaction, idOrEmail)
        const { id, disabled } = account
        if (disabled === isDisabled) return account
        if (isDisabled) await endSessions(transaction, id)
        const action = isDisabled ? 'account.disabled' : 'account.enabled'
        await recordAudit(transaction, { at: now, action, actor, accountId: id })
        return updateAccount(transaction, id, { disabled_at: isDisabled ? now.toISOString() : null })
      }),

    delete: (idOrEmail, { actor, now }) =>
      queries.transaction().execute(async (transaction) => {
        const account = await lockAccount(transaction, idOrEmail)
        const { id } = account
        await removeUser(transaction, account)
        await transaction.deleteFrom('account_codes').where('account_id', '=', id).execute()
        await transaction.deleteFrom('keys').where('account_id', '=', id).execute()
        // SQLite counts in a file of its own, which cannot be part of the transaction.
        const counter = counts === queries ? transaction : counts
        await counter
          .deleteFrom('quota_days')
          .where((row) => {
            // Ids of what it has read are its own id, a space and the version.
            const marks = row.and([row('account_id', '>', `${id} `), row('account_id', '<', `${id}!`)])
            return row.or([row('account_id', '=', id), marks])
          })
          .execute()
        await transaction.deleteFrom('accounts').where('id', '=', id).execute()
        await recordAudit(transaction, { at: now, action: 'account.deleted', actor, accountId: id })
        return account
      }),
  }
}

/** A sign-in that has checked the password cannot start a session either: that needs its user. */
export async function removeUser(
  transaction: Queries,
  { id, email }: Pick<Account, 'id' | 'email'>,
): Promise<void> {
  await transaction
    .deleteFrom('sign_in_users')
    .where((where) => where.or([where('accountId', '=', id), where('email', '=', email)]))
    .execute()
}

export async function revokeKeys(
  transaction: Transaction<Schema>,
  accountId: string,
  { actor, now }: { readonly actor: Actor; readonly now: Date },
): Promise<void> {
  const revoked = await transaction
    .updateTable('keys')
    .set({ revoked_at: now.toISOString() })
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .returningAll()
    .execute()
  await recordAudit(
    transaction,
    ...revoked.map((key) => createKeyEntry('key.revoked', key, { actor, at: now })),
  )
}

/** Names a key by its id and last characters; its digest and its text are secret. */
export function createKeyEntry(
  action: AuditAction,
  { id, account_id, name, last4 }: KeyRow,
  { actor, at, details }: { actor: Actor; at: Date; details?: AuditDetails },
): NewAuditEntry {
  return { at, action, actor, accountId: account_id, target: id, details: { name, last4, ...details } }
}

async function endSessions(transaction: Queries, accountId: string): Promise<void> {
  const users = transaction.selectFrom('sign_in_users').select('id').where('accountId', '=', accountId)
  await transaction.deleteFrom('sign_in_sessions').where('userId', 'in', users).execute()
}
