import { hash, randomBytes } from 'node:crypto'
import { type Account, type Catalog, CatalogError, checkClaim, redeemClaim } from '@packs/catalog'
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
 *
 * It may break off after any step. A user without an account gets it at sign-in, and is replaced by who has the claim code of
 * an account with the address; a claim is taken once its user is there.
 */
export async function signUp(
  auth: Auth,
  { catalog, now }: Pick<WebPorts, 'catalog' | 'now'>,
  { email, password, claimCode }: SignUpRequest,
): Promise<void> {
  const { internalAdapter, password: passwords } = await auth.$context
  const known = await findUser(auth, email)
  const isOpen = known === undefined || known.accountId === null
  const hasAccount = isOpen && (await catalog.accounts.find(email)) !== undefined
  const claimed = hasAccount ? await checkClaim(catalog, email, claimCode, now()) : undefined
  const passwordHash = await passwords.hash(password)
  if (claimed === undefined && (known !== undefined || hasAccount)) return
  if (known !== undefined) await internalAdapter.deleteUser(known.id)
  const user = await createUser(auth, { email, passwordHash, accountId: claimed?.id ?? null })
  if (user === undefined) return
  if (claimed === undefined) await openAccount(auth, catalog, user, now())
  else await redeemClaim(catalog, email, claimCode, now())
}

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

interface User {
  readonly id: string
  readonly email: string
  /** As `tableOptions` has it. */
  readonly accountId: string | null
}

async function findUser(auth: Auth, email: string): Promise<User | undefined> {
  const { internalAdapter } = await auth.$context
  const found = await internalAdapter.findUserByEmail(email)
  return found?.user as User | undefined
}

/** Makes user and password in one transaction; nothing where somebody else signs up with the address at this very moment. */
async function createUser(
  auth: Auth,
  { email, passwordHash, accountId }: { email: string; passwordHash: string; accountId: string | null },
): Promise<User | undefined> {
  const { internalAdapter } = await auth.$context
  const user = {
    id: randomBytes(16).toString('hex'),
    name: email,
    email,
    emailVerified: false,
    accountId,
  }
  try {
    await internalAdapter.createOAuthUser(user, {
      providerId: 'credential',
      accountId: user.id,
      password: passwordHash,
    })
    return user
  } catch (error) {
    if ((await findUser(auth, email)) !== undefined) return undefined
    throw error
  }
}
