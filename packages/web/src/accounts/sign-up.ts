import { hash, randomBytes } from 'node:crypto'
import { type Account, type Catalog, CatalogError } from '@packs/catalog'
import type { WebPorts } from '../ports.ts'
import type { Auth } from './create-auth.ts'

/**
 * Creates a user and an account, unless the email already has an account or a user.
 *
 * The caller cannot tell whether the email was taken: time and result are the same.
 *
 * A sign-up may be interrupted after any step. A user without an account gets one at the next
 * sign-in, unless an operator has created an account with that email since.
 */
export async function signUp(
  auth: Auth,
  { catalog, now }: Pick<WebPorts, 'catalog' | 'now'>,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<void> {
  const [user, account] = await Promise.all([findUser(auth, email), catalog.accounts.find(email)])
  const passwordHash = await hashPassword(auth, password)
  if (user !== undefined || account !== undefined) return
  const created = await createUser(auth, { email, passwordHash })
  if (created !== undefined) await linkAccount(auth, catalog, created, now())
}

/** Returns the salted digest of a password, as sign-in stores it. */
export async function hashPassword(auth: Auth, password: string): Promise<string> {
  const context = await auth.$context
  return context.password.hash(password)
}

/**
 * Creates a Free account for a user who has none, and links them. The account's id is derived from
 * the user's id, so that an account that was created but not linked before a failure is found
 * again.
 *
 * Returns `undefined` if the email belongs to an account of somebody else, which only a code can
 * give access to.
 */
export async function linkAccount(
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

/**
 * Creates a user with a password in one transaction. Returns `undefined` if another sign-up with
 * this email came first.
 */
async function createUser(
  auth: Auth,
  { email, passwordHash }: { readonly email: string; readonly passwordHash: string },
): Promise<User | undefined> {
  const { internalAdapter } = await auth.$context
  const id = randomBytes(16).toString('hex')
  const user = { id, name: email, email, emailVerified: false, accountId: null }
  const credential = { providerId: 'credential', accountId: id, password: passwordHash }
  try {
    await internalAdapter.createOAuthUser(user, credential)
    return user
  } catch (error) {
    if ((await findUser(auth, email)) !== undefined) return undefined
    throw error
  }
}
