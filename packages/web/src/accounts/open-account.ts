import { CatalogError, type Account, type Catalog } from '@packs/catalog'
import type { Auth } from './create-auth.ts'

/**
 * Makes the Free account of a user who has none, and links them.
 *
 * Nothing where the address has an account that somebody else made: that one is had by its claim code alone.
 */
export async function openAccount(
  auth: Auth,
  { accounts }: Catalog,
  user: { readonly id: string; readonly email: string },
  now: Date,
): Promise<Account | undefined> {
  try {
    const account = await accounts.create({ email: user.email, tier: 'free', now })
    await linkAccount(auth, user.id, account)
    return account
  } catch (error) {
    if (error instanceof CatalogError && error.code === 'email_taken') return undefined
    throw error
  }
}

/** Writes down which account a user is. */
export async function linkAccount(auth: Auth, userId: string, account: Account): Promise<void> {
  const { internalAdapter } = await auth.$context
  await internalAdapter.updateUser(userId, { accountId: account.id })
}
