import type { LentDatabase } from '@packs/catalog'
import { betterAuth, type Auth as BetterAuth, type BetterAuthOptions } from 'better-auth'
import type { WebOptions, WebPorts } from '../ports.ts'
import { getAdapter } from 'better-auth/db/adapter'
import { hashTokens } from './hash-tokens.ts'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH, type Passwords } from './passwords.ts'

/** Options that determine the sign-in tables. */
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
    // Signing in at once would reveal that the email had no account.
    autoSignIn: false,
    minPasswordLength: MIN_PASSWORD_LENGTH,
    maxPasswordLength: MAX_PASSWORD_LENGTH,
  },
}

/** Sign-up, sign-in and sessions. Only this package calls it; its HTTP handler is not mounted. */
export type Auth = BetterAuth<BetterAuthOptions>

export async function createAuth(
  { catalog, log }: Pick<WebPorts, 'catalog' | 'log'>,
  { baseUrl }: Pick<WebOptions, 'baseUrl'>,
  { db, type }: LentDatabase,
  { hash, verify }: Passwords,
): Promise<Auth> {
  const secret = await catalog.settings.secret('sign-in')
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
}
