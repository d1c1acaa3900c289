import type { Account } from '@packs/catalog'
import { isAPIError } from 'better-auth/api'
import type { WebPorts } from '../ports.ts'
import type { Auth } from './create-auth.ts'
import { openAccount } from './sign-up.ts'

/** Who sends a request, as far as its headers say. */
export interface Sender {
  readonly cookie: string | undefined
  readonly userAgent: string | undefined
}

/** A session that is good; `cookies` are to be set where it was prolonged. */
export interface Session {
  readonly account: Account
  readonly cookies: readonly string[]
}

export interface SessionLine {
  readonly createdAt: Date
  readonly userAgent: string
  readonly isThis: boolean
}

export interface SignIn {
  find(sender: Sender): Promise<Session | undefined>
  /** Gives cookies to set; nothing for a wrong address or password. */
  signIn(request: { email: string; password: string }, sender: Sender): Promise<readonly string[] | undefined>
  signOut(sender: Sender): Promise<readonly string[]>
  /** Ends all other sessions too. Gives cookies to set; nothing for a wrong password. */
  changePassword(
    request: { password: string; newPassword: string },
    sender: Sender,
  ): Promise<readonly string[] | undefined>
  /** Newest first. */
  listSessions(sender: Sender): Promise<readonly SessionLine[]>
  endOtherSessions(sender: Sender): Promise<void>
}

/** A user as `tableOptions` makes them. */
interface User {
  readonly accountId: string | null
}

/** Sign-in by address and password, in the words of these pages. */
export function createSignIn(auth: Auth, { catalog, now }: Pick<WebPorts, 'catalog' | 'now'>): SignIn {
  const { api } = auth
  return {
    async find(sender) {
      if (!sender.cookie?.includes('packs.session_token=')) return undefined
      const { response, headers } = await api.getSession({
        headers: writeHeaders(sender),
        returnHeaders: true,
      })
      if (response === null) return undefined
      const user = response.user as typeof response.user & User
      const account = await (user.accountId === null
        ? openAccount(auth, catalog, user, now())
        : catalog.accounts.find(user.accountId))
      return account && { account, cookies: headers.getSetCookie() }
    },

    async signIn({ email, password }, sender) {
      const body = { email, password }
      return acceptRefusal(async () => {
        const { headers } = await api.signInEmail({
          body,
          headers: writeHeaders(sender),
          returnHeaders: true,
        })
        return headers.getSetCookie()
      })
    },

    async signOut(sender) {
      const { headers } = await api.signOut({ headers: writeHeaders(sender), returnHeaders: true })
      return headers.getSetCookie()
    },

    async changePassword({ password, newPassword }, sender) {
      const body = { currentPassword: password, newPassword, revokeOtherSessions: true }
      return acceptRefusal(async () => {
        const { headers } = await api.changePassword({
          body,
          headers: writeHeaders(sender),
          returnHeaders: true,
        })
        return headers.getSetCookie()
      })
    },

    async listSessions(sender) {
      const headers = writeHeaders(sender)
      const [current, sessions] = await Promise.all([
        api.getSession({ headers }),
        api.listSessions({ headers }),
      ])
      return sessions
        .map(({ createdAt, userAgent, token }) => ({
          createdAt,
          userAgent: userAgent ?? '',
          isThis: token === current?.session.token,
        }))
        .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
    },

    async endOtherSessions(sender) {
      await api.revokeOtherSessions({ headers: writeHeaders(sender) })
    },
  }
}

function writeHeaders({ cookie, userAgent }: Sender): Headers {
  const headers = new Headers()
  if (cookie !== undefined) headers.set('cookie', cookie)
  if (userAgent !== undefined) headers.set('user-agent', userAgent.slice(0, 300))
  return headers
}

/** Nothing where what was typed is wrong; that the database is away is another matter. */
async function acceptRefusal<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (isAPIError(error) && (error.statusCode === 400 || error.statusCode === 401)) return undefined
    throw error
  }
}
