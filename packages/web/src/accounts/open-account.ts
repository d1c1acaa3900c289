import { hash } from 'node:crypto'
import { type Account, type Catalog, CatalogError } from '@packs/catalog'
import type { Auth } from './create-auth.ts'

/**
 * Makes the Free account of a user who has none, and links them. The account's id follows from the user's, so that one that
 * was made, but not linked before something failed, is found again.
 *
 * Nothing where the address has an account that somebody else made: that one is had by its claim code alone.
 */
export async function openAccount(
  auth: Auth,
  { accounts }: Catalog,
  user: { readonly id: string; readonly email: string },
  now: Date,
): Promise<Account | undefined> {
  const id = `ac_${hash('sha256', `sign-up ${user.id}`).slice(0, 32)}`
  const account = await accounts
    .create({ id, email: user.email, tier: 'free', now })
    .catch((error: unknown) => {
      if (error instanceof CatalogError && error.code === 'email_taken') return accounts.find(id)
      throw error
    })
  if (account === undefined) return undefined
  const { internalAdapter } = await auth.$context
  await internalAdapter.updateUser(user.id, { accountId: account.id })
  return account
}
