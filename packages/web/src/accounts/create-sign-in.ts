import type { Account } from '@packs/catalog'
import { isAPIError } from 'better-auth/api'
import type { WebPorts } from '../ports.ts'
import type { Auth } from './create-auth.ts'
import { openAccount } from './sign-up.ts'

/** Headers that identify the client of a request. */
export interface ClientHeaders {
  readonly cookie: string | undefined
  readonly userAgent: string | undefined
}

/** A valid session. `cookies` must be set if it was renewed. */
export interface Session {
  readonly account: Account
  readonly cookies: readonly string[]
}

export interface SessionSummary {
  readonly createdAt: Date
  readonly userAgent: string
  readonly isCurrent: boolean
}

export interface SignIn {
  findSession(client: ClientHeaders): Promise<Session | undefined>
  /** Returns cookies to set, or `undefined` if the address or the password is wrong. */
  signIn(
    request: { email: string; password: string },
    client: ClientHeaders,
  ): Promise<readonly string[] | undefined>
  signOut(client: ClientHeaders): Promise<readonly string[]>
  /** Also ends all other sessions. Returns cookies to set, or `undefined` if the password is wrong. */
  changePassword(
    request: { password: string; newPassword: string },
    client: ClientHeaders,
  ): Promise<readonly string[] | undefined>
  /** Newest first. */
  listSessions(client: ClientHeaders): Promise<readonly SessionSummary[]>
  endOtherSessions(client: ClientHeaders): Promise<void>
}

/** The additional fields of a user in `tableOptions`. */
interface User {
  readonly accountId: string | null
}

/** Creates sign-in by email address and password. */
export function createSignIn(auth: Auth, { catalog, now }: Pick<WebPorts, 'catalog' | 'now'>): SignIn {
  const { api } = auth
  return {
    async findSession(client) {
      if (!client.cookie?.includes('packs.session_token=')) return undefined
      const { response, headers } = await api.getSession({
        headers: createHeaders(client),
        returnHeaders: true,
      })
      if (response === null) return undefined
      const user = response.user as typeof response.user & User
      const account = await (user.accountId === null
        ? openAccount(auth, catalog, user, now())
        : catalog.accounts.find(user.accountId))
      return account && { account, cookies: headers.getSetCookie() }
    },

    async signIn({ email, password }, client) {
      const body = { email, password }
      return unlessRejected(async () => {
        const { headers } = await api.signInEmail({
          body,
          headers: createHeaders(client),
          returnHeaders: true,
        })
        return headers.getSetCookie()
      })
    },

    async signOut(client) {
      const { headers } = await api.signOut({ headers: createHeaders(client), returnHeaders: true })
      return headers.getSetCookie()
    },

    async changePassword({ password, newPassword }, client) {
      const body = { currentPassword: password, newPassword, revokeOtherSessions: true }
      return unlessRejected(async () => {
        const { headers } = await api.changePassword({
          body,
          headers: createHeaders(client),
          returnHeaders: true,
        })
        return headers.getSetCookie()
      })
    },

    async listSessions(client) {
      const headers = createHeaders(client)
      const [current, sessions] = await Promise.all([
        api.getSession({ headers }),
        api.listSessions({ headers }),
      ])
      return sessions
        .map(({ createdAt, userAgent, token }) => ({
          createdAt,
          userAgent: userAgent ?? '',
          isCurrent: token === current?.session.token,
        }))
        .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
    },

    async endOtherSessions(client) {
      await api.revokeOtherSessions({ headers: createHeaders(client) })
    },
  }
}

function createHeaders({ cookie, userAgent }: ClientHeaders): Headers {
  const headers = new Headers()
  if (cookie !== undefined) headers.set('cookie', cookie)
  if (userAgent !== undefined) headers.set('user-agent', userAgent.slice(0, 300))
  return headers
}

/** Returns `undefined` if better-auth rejects the input. Other errors, such as a database failure, are thrown. */
async function unlessRejected<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (isAPIError(error) && (error.statusCode === 400 || error.statusCode === 401)) return undefined
    throw error
  }
}
