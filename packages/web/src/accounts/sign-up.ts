import { redeemClaim, type Account } from '@packs/catalog'
import { isAPIError } from 'better-auth/api'
import type { WebPorts } from '../ports.ts'
import type { Auth } from './create-auth.ts'
import { linkAccount, openAccount } from './open-account.ts'

export interface SignUpRequest {
  readonly email: string
  readonly password: string
  /** What an operator handed over with the account; empty where there is none. */
  readonly claimCode: string
}

/**
 * Makes a user, and the account where nobody has made it.
 *
 * Whether the address was taken, or a claim code missing or wrong, is not told: it takes as long and gives nothing. The
 * user comes before the account, as a user without one gets it at sign-in, but an account without a user is lost.
 */
export async function signUp(
  auth: Auth,
  { catalog, now }: Pick<WebPorts, 'catalog' | 'now'>,
  { email, password, claimCode }: SignUpRequest,
): Promise<void> {
  const { internalAdapter, password: passwords } = await auth.$context
  const isNew = (await internalAdapter.findUserByEmail(email)) === null
  const isClaimed = isNew && (await catalog.accounts.find(email)) !== undefined
  const claimed: Account | undefined = isClaimed
    ? await redeemClaim(catalog, email, claimCode, now())
    : undefined
  if (!isNew || (isClaimed && claimed === undefined)) {
    await passwords.hash(password)
    return
  }
  const user = await createUser()
  if (user === undefined) return
  if (claimed === undefined) await openAccount(auth, catalog, user, now())
  else await linkAccount(auth, user.id, claimed)

  /** Nothing where somebody else signs up with the address at this very moment. */
  async function createUser(): Promise<{ id: string; email: string } | undefined> {
    try {
      const { user } = await auth.api.signUpEmail({ body: { name: email, email, password } })
      const stored = await internalAdapter.findUserByEmail(email)
      return stored?.user.id === user.id ? user : undefined
    } catch (error) {
      if (isAPIError(error) && error.statusCode === 422) return undefined
      throw error
    }
  }
}
