import { type Account, type Catalog, CatalogError } from '@packs/catalog'
import { sql } from 'kysely'
import type { WebPorts } from '../ports.ts'
import { type Auth, digestToken } from './create-auth.ts'
import type { Passwords } from './passwords.ts'
import { hash, randomBytes, createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Creates a user and an account, unless the email already has an account or a user. The caller
 * cannot tell whether the email was taken: time and result are the same. A sign-up may be
 * interrupted after any step. A user without an account gets one at the next sign-in, unless an
 * operator has created an account with that email since.
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
  const context = await (await auth()).$context
  return context.password.hash(password)
}

/**
 * Creates a Free account for a user who has none, and links them. The account's id is derived from
 * the user's id, so that an account that was created but not linked before a failure is found
 * again. Returns `undefined` if the email belongs to an account of somebody else, which only a code
 * can give access to.
 */
async function linkAccount(
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
  const { internalAdapter } = await (await auth()).$context
  await internalAdapter.updateUser(user.id, { accountId: account.id })
  return account
}

interface StoredUser {
  readonly id: string
  readonly email: string
  readonly accountId: string | null
}

async function findUser(auth: Auth, email: string): Promise<StoredUser | undefined> {
  const { internalAdapter } = await (await auth()).$context
  const found = await internalAdapter.findUserByEmail(email)
  return found?.user as StoredUser | undefined
}

/** In one transaction; `undefined` if another sign-up with this email came first. */
async function createUser(
  auth: Auth,
  { email, passwordHash }: { readonly email: string; readonly passwordHash: string },
): Promise<StoredUser | undefined> {
  const { internalAdapter } = await (await auth()).$context
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

export interface ClientHeaders {
  readonly cookie: string | undefined
  readonly userAgent: string | undefined
}

/** In the cookies of a browser with a session, which may have ended. */
export const SESSION_COOKIE = 'packs.session_token='

/** A valid session. `cookies` must be set if it was renewed. */
interface Session {
  readonly account: Account
  readonly cookies: readonly string[]
}

export interface SessionSummary {
  readonly createdAt: Date
  readonly userAgent: string
  readonly isCurrent: boolean
}

export interface SignIn {
  /** Returns `undefined` for a disabled account too. */
  findSession(client: ClientHeaders): Promise<Session | undefined>
  /** The name of a device that has signed in with this email and the current password. */
  findDevice(email: string, client: ClientHeaders): Promise<string | undefined>
  /** Cookies to set; `undefined` if email or password is wrong, or the account is disabled. */
  signIn(
    request: { email: string; password: string },
    client: ClientHeaders,
  ): Promise<readonly string[] | undefined>
  signOut(client: ClientHeaders): Promise<readonly string[]>
  /** Ends all other sessions too. Returns cookies to set; `undefined` if the password is wrong. */
  changePassword(
    request: { account: Account; password: string; newPassword: string },
    client: ClientHeaders,
  ): Promise<readonly string[] | undefined>
  /** Returns at most 20 sessions, newest first, always including the current one. */
  listSessions(client: ClientHeaders): Promise<readonly SessionSummary[]>
  endOtherSessions(client: ClientHeaders): Promise<void>
}

interface User {
  readonly accountId: string | null
}

const MAX_SESSIONS = 20

export function createSignIn(
  auth: Auth,
  { catalog, now }: Pick<WebPorts, 'catalog' | 'now'>,
  devices: DeviceCookies,
  passwords: Passwords,
): SignIn {
  // Better-auth hides some database failures: a sign-out would seem to succeed, and other errors would not say to try again.
  const { keepFailure } = catalog.database

  /** Returns the cookie by which the device is recognized at the next sign-in. */
  const createDeviceCookie = async (email: string, client: ClientHeaders): Promise<readonly string[]> => {
    const owner = await findOwner(auth, email)
    return owner === undefined ? [] : [devices.create(owner, devices.read(client.cookie, owner))]
  }

  return {
    async findSession(client) {
      if (!client.cookie?.includes(SESSION_COOKIE)) return undefined
      const { response, headers } = await keepFailure(async () =>
        (await auth()).api.getSession(toCall(client)),
      )
      if (response === null) return undefined
      const user = response.user as typeof response.user & User
      const account = await (user.accountId === null
        ? linkAccount(auth, catalog, user, now())
        : catalog.accounts.find(user.accountId))
      if (account === undefined || account.disabled) return undefined
      return { account, cookies: headers.getSetCookie() }
    },

    findDevice: async (email, client) => devices.read(client.cookie, await findOwner(auth, email)),

    async signIn({ email, password }, client) {
      const owner = await findOwner(auth, email)
      const account = await catalog.accounts.find(owner?.accountId ?? '')
      if (account?.disabled === true) {
        // The same work as for an unknown email.
        await hashPassword(auth, password)
        return undefined
      }
      const call = { body: { email, password }, ...toCall(client) }
      return unlessRejected(async () => {
        const { headers } = await keepFailure(async () => (await auth()).api.signInEmail(call))
        return [...headers.getSetCookie(), ...(await createDeviceCookie(email, client))]
      })
    },

    async signOut(client) {
      const { headers } = await keepFailure(async () => (await auth()).api.signOut(toCall(client)))
      return headers.getSetCookie()
    },

    async changePassword({ account, password, newPassword }, client) {
      const { email } = account
      const owner = await findOwner(auth, email)
      if (owner === undefined || !(await passwords.verify({ hash: owner.passwordHash, password })))
        return undefined
      const change = { userId: owner.userId, passwordHash: await hashPassword(auth, newPassword), now: now() }
      if (!(await catalog.accounts.replacePassword(account.id, change))) return undefined
      return this.signIn({ email, password: newPassword }, client)
    },

    listSessions: (client) => keepFailure(() => listSessions(auth, client)),

    async endOtherSessions(client) {
      const { api } = await auth()
      const current = await keepFailure(() => api.getSession({ headers: createHeaders(client) }))
      if (current === null) return
      // Better-auth would end only the first hundred.
      const { userId, token } = current.session
      await sql`delete from sign_in_sessions where "userId" = ${userId} and token <> ${digestToken(token)}`.execute(
        catalog.database.db,
      )
    },
  }
}

async function listSessions(auth: Auth, client: ClientHeaders): Promise<readonly SessionSummary[]> {
  const current = await (await auth()).api.getSession({ headers: createHeaders(client) })
  if (current === null) return []
  const { userId, token } = current.session
  const { adapter } = await (await auth()).$context
  const others = await adapter.findMany<typeof current.session>({
    model: 'session',
    where: [
      { field: 'userId', value: userId },
      { field: 'token', operator: 'ne', value: token },
    ],
    sortBy: { field: 'createdAt', direction: 'desc' },
    limit: MAX_SESSIONS - 1,
  })
  return [current.session, ...others]
    .filter(({ expiresAt }) => expiresAt > new Date())
    .map((session) => ({
      createdAt: session.createdAt,
      userAgent: session.userAgent ?? '',
      isCurrent: session.token === token,
    }))
    .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
}

/** Finds the user with this email, for whom device cookies are signed. */
async function findOwner(auth: Auth, email: string): Promise<(DeviceOwner & User) | undefined> {
  const { internalAdapter } = await (await auth()).$context
  const found = await internalAdapter.findUserByEmail(email, { includeAccounts: true })
  if (found === null) return undefined
  const { id, accountId } = found.user as typeof found.user & User
  const passwordHash = found.accounts.find(({ providerId }) => providerId === 'credential')?.password ?? ''
  return { userId: id, accountId, passwordHash }
}

const toCall = (client: ClientHeaders) => ({ headers: createHeaders(client), returnHeaders: true }) as const

function createHeaders({ cookie, userAgent }: ClientHeaders): Headers {
  const agent = userAgent?.slice(0, 300)
  return new Headers({ ...(cookie && { cookie }), ...(agent && { 'user-agent': agent }) })
}

/** Returns `undefined` if better-auth rejects the input; throws other errors. */
async function unlessRejected<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    const { isAPIError } = await import('better-auth/api')
    if (isAPIError(error) && (error.statusCode === 400 || error.statusCode === 401)) return undefined
    throw error
  }
}

/** A user and the stored digest of the password, for which a device cookie is signed. */
export interface DeviceOwner {
  readonly userId: string
  readonly passwordHash: string
}

/**
 * Recognizes devices that have signed in to an account before, so that strangers who guess its
 * password do not slow them down. The cookie alone gives no access: it only gives the device its
 * own delay. It is signed for one user and password, so a new password or a reset makes all cookies
 * of the account worthless.
 * @see https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies
 */
export interface DeviceCookies {
  /** Returns the name of the device if the cookie is valid for this user. */
  read(cookies: string | undefined, owner: DeviceOwner | undefined): string | undefined
  /** Returns a cookie to set, for a new device or one that was read. */
  create(owner: DeviceOwner, device?: string): string
}

const COOKIE = 'packs.device'
/** 16 bytes that name the device, and 32 bytes of signature. */
const PATTERN = /(?:^|; ?)packs\.device=([\w-]{22})\.([\w-]{43})(?:;|$)/
const LIFE_SECONDS = 365 * 24 * 60 * 60
/** Used for an unknown user, so that every email costs the same work. */
const NOBODY: DeviceOwner = { userId: '', passwordHash: '' }

export function createDeviceCookies(secret: Uint8Array, baseUrl: string): DeviceCookies {
  const rules = `Path=/settings; HttpOnly; SameSite=Lax${baseUrl.startsWith('https:') ? '; Secure' : ''}`
  const sign = (device: string, { userId, passwordHash }: DeviceOwner): Buffer =>
    createHmac('sha256', secret)
      .update(JSON.stringify(['device', userId, passwordHash, device]))
      .digest()
  return {
    read(cookies, owner) {
      const [, device = '', signature = ''] = PATTERN.exec(cookies ?? '') ?? []
      if (device === '') return undefined
      const isSigned = timingSafeEqual(Buffer.from(signature, 'base64url'), sign(device, owner ?? NOBODY))
      return isSigned && owner !== undefined ? device : undefined
    },
    create(owner, device = randomBytes(16).toString('base64url')) {
      const value = `${device}.${sign(device, owner).toString('base64url')}`
      return `${COOKIE}=${value}; Max-Age=${LIFE_SECONDS}; ${rules}`
    },
  }
}
