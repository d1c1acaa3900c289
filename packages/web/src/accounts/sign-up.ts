import { hash, randomBytes } from 'node:crypto'
import { type Account, type Catalog, CatalogError, checkClaim, redeemClaim } from '@packs/catalog'
import type { WebPorts } from '../ports.ts'
import type { Auth } from './create-auth.ts'

export interface SignUpRequest {
  readonly email: string
  readonly password: string
  /** The code that an operator issued with the account, or an empty string. */
  readonly claimCode: string
}

/**
 * Creates a user, and an account unless an operator has created it.
 *
 * The caller cannot tell whether the address was taken, or the claim code missing or wrong: time and result are the same.
 *
 * A sign-up may be interrupted after any step. A user without an account gets one at the next sign-in, or is replaced by a user
 * with the claim code of an account with that address. A claim code is used up only after its user exists.
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
 * Creates the Free account of a user who has none, and links them. The account's id is derived from the user's id, so that an
 * account that was created but not linked before a failure is found again.
 *
 * Returns `undefined` if the address belongs to an account of somebody else, which only its claim code opens.
 */
export async function openAccount(
  auth: Auth,
  { accounts }: Catalog,
  user: { readonly id: string; readonly email: string },
  now: Date,
): Promise<Account | undefined> {
  const id = `ac_${hash('sha256', `sign-up ${user.id}`).slice(0, 32)}`
  const account = await accounts
    .create({ id, email: user.email, tier: 'free', actor: { kind: 'account', id }, now })
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
  /** The additional field in `tableOptions`. */
  readonly accountId: string | null
}

async function findUser(auth: Auth, email: string): Promise<User | undefined> {
  const { internalAdapter } = await auth.$context
  const found = await internalAdapter.findUserByEmail(email)
  return found?.user as User | undefined
}

/** Creates a user with a password in one transaction. Returns `undefined` if another sign-up with the address came first. */
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
