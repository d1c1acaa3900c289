import type { LentDatabase } from '@packs/catalog'
import { loadOnce } from '@packs/codec/internal'
import type { Auth as BetterAuth, BetterAuthOptions } from 'better-auth'
import type { getAdapter } from 'better-auth/db/adapter'
import type { WebOptions, WebPorts } from '../ports.ts'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH, type Passwords } from './passwords.ts'
import { hash } from 'node:crypto'

export const tableOptions: BetterAuthOptions = {
  user: {
    modelName: 'sign_in_users',
    // The user's account in the catalog. Missing only while a sign-up is incomplete.
    additionalFields: { accountId: { type: 'string', required: false, unique: true, input: false } },
  },
  session: { modelName: 'sign_in_sessions', expiresIn: 60 * 60 * 24 * 14, updateAge: 60 * 60 * 24 },
  account: { modelName: 'sign_in_credentials' },
  verification: { modelName: 'sign_in_verifications' },
  emailAndPassword: {
    enabled: true,
    // Sign-ups sign in like all others: the password is checked, and counted if it is wrong.
    autoSignIn: false,
    minPasswordLength: MIN_PASSWORD_LENGTH,
    maxPasswordLength: MAX_PASSWORD_LENGTH,
  },
}

/** Sign-up, sign-in and sessions, loaded when first called. Their HTTP handler is not mounted. */
export type Auth = () => Promise<BetterAuth<BetterAuthOptions>>

export async function createAuth(
  { catalog, log }: Pick<WebPorts, 'catalog' | 'log'>,
  { baseUrl }: Pick<WebOptions, 'baseUrl'>,
  { db, type }: LentDatabase,
  { hash, verify }: Passwords,
): Promise<Auth> {
  const secret = await catalog.settings.secret('sign-in')
  return loadOnce(async () => {
    const { betterAuth } = await import('better-auth')
    const { getAdapter } = await import('better-auth/db/adapter')
    const database = { db, type, transaction: true }
    const adapter = hashTokens(await getAdapter({ ...tableOptions, database }))
    return betterAuth<BetterAuthOptions>({
      ...tableOptions,
      emailAndPassword: { ...tableOptions.emailAndPassword, enabled: true, password: { hash, verify } },
      baseURL: baseUrl,
      secret: Buffer.from(secret).toString('hex'),
      database: () => adapter,
      trustedOrigins: [baseUrl],
      telemetry: { enabled: false },
      // Better-auth's messages may contain email addresses, so they are not logged.
      logger: { level: 'error', log: () => log.error({}, 'sign-in failed internally') },
      advanced: {
        cookiePrefix: 'packs',
        useSecureCookies: baseUrl.startsWith('https:'),
        defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', path: '/' },
        ipAddress: { disableIpTracking: true },
      },
    })
  })
}

type Adapter = Awaited<ReturnType<typeof getAdapter>>

/** Sessions end this long after the sign-in, however often they are renewed. */
const LONGEST_MS = 30 * 24 * 60 * 60 * 1000
const METHODS = ['create', 'findOne', 'findMany', 'count', 'update', 'updateMany', 'delete', 'deleteMany']

/** What a method gets, and a row of a session that it returns. */
interface Query {
  readonly model: string
  readonly data?: Readonly<Record<string, unknown>>
  readonly where?: readonly { readonly field: string; readonly value: unknown; readonly operator?: string }[]
}
type Row = Readonly<Record<'token' | 'createdAt', unknown>>

/** Returns what the database stores of the token of a session. */
export function digestToken(token: unknown): string {
  return hash('sha256', String(token), 'base64url')
}

/**
 * Makes an adapter store digests of session tokens, so that a copy of the database is not a
 * session. What is found by a token, or created with it, has the token itself.
 */
export function hashTokens(adapter: Adapter): Adapter {
  const wrap = (name: string) => {
    const run = adapter[name as 'create'] as (query: Query) => Promise<unknown>
    return async (query: Query): Promise<unknown> =>
      query.model === 'session' ? showTokens(query, await run(hideTokens(query))) : run(query)
  }
  return {
    ...adapter,
    ...Object.fromEntries(METHODS.map((name) => [name, wrap(name)])),
    transaction: (work) => adapter.transaction((inner) => work(hashTokens(inner as Adapter))),
  }
}

function hideTokens({ data, where, ...query }: Query): Query {
  const hide = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(digestToken) : digestToken(value)
  const clauses = where?.map((one) => (one.field === 'token' ? { ...one, value: hide(one.value) } : one))
  const token = data?.['token']
  const hidden = token === undefined ? data : { ...data, token: hide(token) }
  return { ...query, ...(hidden && { data: hidden }), ...(clauses && { where: clauses }) }
}

function showTokens({ data, where = [] }: Query, found: unknown): unknown {
  if (Array.isArray(found)) return (found as Row[]).filter((row) => !isOver(row))
  if (typeof found !== 'object' || found === null) return found
  const equal = where.find(({ field, operator = 'eq' }) => field === 'token' && operator === 'eq')
  const row = found as Row
  return isOver(row) ? null : { ...row, token: data?.['token'] ?? equal?.value ?? row.token }
}

function isOver({ createdAt }: Row): boolean {
  return Date.now() - Number(createdAt) > LONGEST_MS
}
