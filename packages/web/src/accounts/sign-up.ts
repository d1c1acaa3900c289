import { CatalogError, redeemClaim, type Account } from '@packs/catalog'
import type { WebPorts } from '../ports.ts'
import type { Auth } from './create-auth.ts'

export interface SignUpRequest {
  readonly email: string
  readonly password: string
  /** What an operator handed over with the account; empty where there is none. */
  readonly claimCode: string
}

/**
 * Makes a user, and the account where nobody has made it.
 *
 * Whether the address was taken, or a claim code missing or wrong, is not told: it takes as long and gives nothing.
 */
export async function signUp(
  auth: Auth,
  { catalog, now }: Pick<WebPorts, 'catalog' | 'now'>,
  request: SignUpRequest,
): Promise<void> {
  const { email, password, claimCode } = request
  const { internalAdapter, password: passwords } = await auth.$context
  const user = await internalAdapter.findUserByEmail(email)
  const account = user === null ? await openAccount() : undefined
  if (account === undefined) {
    await passwords.hash(password)
    return
  }
  await auth.api.signUpEmail({ body: { name: email, email, password } })

  async function openAccount(): Promise<Account | undefined> {
    if ((await catalog.accounts.find(email)) !== undefined) {
      return claimCode === '' ? undefined : redeemClaim(catalog, email, claimCode, now())
    }
    try {
      return await catalog.accounts.create({ email, tier: 'free', now: now() })
    } catch (error) {
      // Two asked at the same time, and the other was first.
      if (error instanceof CatalogError && error.code === 'email_taken') return undefined
      throw error
    }
  }
}
