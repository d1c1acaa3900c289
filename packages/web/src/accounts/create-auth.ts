import type { LentDatabase } from '@packs/catalog'
import { betterAuth, type Auth as BetterAuth, type BetterAuthOptions } from 'better-auth'
import type { WebOptions, WebPorts } from '../ports.ts'
import { tableOptions } from './auth-options.ts'

/** Sign-up, sign-in and sessions; called from here alone, as its own HTTP handler is not mounted. */
export type Auth = BetterAuth<BetterAuthOptions>

/** Sets up better-auth on the tables of sign-in. */
export async function createAuth(
  { catalog, log }: Pick<WebPorts, 'catalog' | 'log'>,
  { baseUrl }: Pick<WebOptions, 'baseUrl'>,
  { db, type }: LentDatabase,
): Promise<Auth> {
  const secret = await catalog.settings.secret('sign-in')
  return betterAuth<BetterAuthOptions>({
    ...tableOptions,
    baseURL: baseUrl,
    secret: Buffer.from(secret).toString('hex'),
    database: { db, type, transaction: true },
    trustedOrigins: [baseUrl],
    telemetry: { enabled: false },
    // Only that it failed: its messages may hold addresses.
    logger: { level: 'error', log: () => log.error({}, 'sign-in failed inside') },
    advanced: {
      cookiePrefix: 'packs',
      useSecureCookies: baseUrl.startsWith('https:'),
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', path: '/' },
      ipAddress: { disableIpTracking: true },
    },
  })
}
