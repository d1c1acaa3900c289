import { hash, randomBytes } from 'node:crypto'
import type { Catalog } from '../catalog.ts'
import type { Account, Tier } from '../types.ts'

const CLAIM_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000
/** Crockford's base32: no letter that is mistaken for a digit. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const CODE_LENGTH = 25

export interface ClaimedAccount {
  readonly account: Account
  /** What the sign-up form asks for, once within seven days; it is kept as its SHA-256 only. */
  readonly claimCode: string
}

/**
 * Creates an account for somebody else, who signs up to it with a code. Where the code has ended unused, the account can be
 * created again.
 *
 * @throws CatalogError `email_taken`, `invalid_account`
 */
export async function createClaimedAccount(
  { accounts }: Catalog,
  request: { readonly email: string; readonly tier: Tier; readonly daily?: number | null | undefined },
  now: Date,
): Promise<ClaimedAccount> {
  const claimCode = createClaimCode()
  const account = await accounts.create({
    email: request.email,
    tier: request.tier,
    daily: request.daily ?? null,
    claim: {
      hash: hashClaimCode(claimCode),
      expiresAt: new Date(now.getTime() + CLAIM_LIFETIME_MS).toISOString(),
    },
    now,
  })
  return { account, claimCode }
}

/** Gives the account of that address to who has its code, as often as it is asked; what follows can fail and be tried again. */
export function checkClaim(
  { accounts }: Catalog,
  email: string,
  code: string,
  now: Date,
): Promise<Account | undefined> {
  return accounts.checkClaim(email, hashClaimCode(code), now)
}

/** Gives the account of that address to who has its code, once; ten attempts an hour are looked at. */
export function redeemClaim(
  { accounts }: Catalog,
  email: string,
  code: string,
  now: Date,
): Promise<Account | undefined> {
  return accounts.redeem(email, hashClaimCode(code), now)
}

/** Makes a one-time code of 125 random bits, to be read out and typed: `7K3QX-…`, five groups of five. */
function createClaimCode(): string {
  const digits = Array.from(randomBytes(CODE_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('')
  return digits.match(/.{5}/g)?.join('-') ?? digits
}

/** Gives the SHA-256 of a code however it is typed: small letters, spaces, `O` for `0`, `I` and `L` for `1`. */
function hashClaimCode(code: string): string {
  const typed = code.slice(0, 100).toUpperCase().replace(/[\s-]/g, '')
  return hash('sha256', typed.replaceAll('O', '0').replace(/[IL]/g, '1'))
}
