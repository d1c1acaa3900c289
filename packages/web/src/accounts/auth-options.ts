import type { BetterAuthOptions } from 'better-auth'

/** Shortest and longest password, characters. */
export const SHORTEST_PASSWORD = 8
export const LONGEST_PASSWORD = 128

/** What the tables of sign-in depend on. */
export const tableOptions: BetterAuthOptions = {
  user: {
    modelName: 'sign_in_users',
    // The account of the catalog that the user is; nothing only while a sign-up is under way.
    additionalFields: { accountId: { type: 'string', required: false, unique: true, input: false } },
  },
  session: { modelName: 'sign_in_sessions', expiresIn: 60 * 60 * 24 * 14, updateAge: 60 * 60 * 24 },
  account: { modelName: 'sign_in_credentials' },
  verification: { modelName: 'sign_in_verifications' },
  emailAndPassword: {
    enabled: true,
    // Signed in at once, a new address would be told from one that has an account.
    autoSignIn: false,
    minPasswordLength: SHORTEST_PASSWORD,
    maxPasswordLength: LONGEST_PASSWORD,
  },
}
