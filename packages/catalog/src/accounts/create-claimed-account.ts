import { hash, randomBytes } from 'node:crypto'
import type { Actor } from '../audit/audit-entry.ts'
import type { Catalog } from '../catalog.ts'
import type { Account, Tier } from '../types.ts'

const CLAIM_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000
/** Crockford's base32, without letters that look like digits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const CODE_LENGTH = 25

export interface ClaimedAccount {
  readonly account: Account
  /** One-time code for the sign-up form, valid for seven days; only its SHA-256 is stored. */
  readonly claimCode: string
}

/**
 * Creates an account for another person, who takes it over at sign-up with a code. If the code expires unused, the account can
 * be created again.
 *
 * @throws CatalogError `email_taken`, `invalid_account`
 */
export async function createClaimedAccount(
  { accounts }: Catalog,
  request: {
    readonly email: string
    readonly tier: Tier
    readonly daily?: number | null | undefined
    readonly actor: Actor
  },
  now: Date,
): Promise<ClaimedAccount> {
  const claimCode = createClaimCode()
  const account = await accounts.create({
    email: request.email,
    tier: request.tier,
    daily: request.daily ?? null,
    actor: request.actor,
    claim: {
      hash: hashClaimCode(claimCode),
      expiresAt: new Date(now.getTime() + CLAIM_LIFETIME_MS).toISOString(),
    },
    now,
  })
  return { account, claimCode }
}

/** Returns the account of an address if the code is right, any number of times, so that failed later steps can be retried. */
export function checkClaim(
  { accounts }: Catalog,
  email: string,
  code: string,
  now: Date,
): Promise<Account | undefined> {
  return accounts.checkClaim(email, hashClaimCode(code), now)
}

/** Returns the account of an address if the code is right, and uses up the code. Only ten attempts an hour are checked. */
export function redeemClaim(
  { accounts }: Catalog,
  email: string,
  code: string,
  now: Date,
): Promise<Account | undefined> {
  return accounts.redeem(email, hashClaimCode(code), now)
}

/** Creates a one-time code of 125 random bits that is easy to type: `7K3QX-…`, five groups of five. */
function createClaimCode(): string {
  const digits = Array.from(randomBytes(CODE_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('')
  return digits.match(/.{5}/g)?.join('-') ?? digits
}

/** Hashes a code with SHA-256, accepting lower case, spaces, `O` for `0`, and `I` or `L` for `1`. */
function hashClaimCode(code: string): string {
  const typed = code.slice(0, 100).toUpperCase().replace(/[\s-]/g, '')
  return hash('sha256', typed.replaceAll('O', '0').replace(/[IL]/g, '1'))
}
