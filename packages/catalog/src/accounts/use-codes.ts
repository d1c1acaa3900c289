import { hash, randomBytes } from 'node:crypto'
import type { Actor } from '../audit/create-audit-store.ts'
import type { Account, Tier } from '../types.ts'
import type { MailCodeKind } from './account-codes.ts'
import type { AccountStore } from './create-account-store.ts'

/** Crockford's base32, without letters that look like digits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const CODE_LENGTH = 25
const HOUR_MS = 60 * 60 * 1000

/** What a code is for. */
type CodeKind = 'claim' | 'operator' | 'reset' | 'verify'

/** Hours that a code is valid. Those of an operator are passed on by hand, the others are mailed. */
const HOURS: Readonly<Record<CodeKind, number>> = { claim: 7 * 24, operator: 7 * 24, reset: 1, verify: 24 }

/** What has the accounts of a catalog. */
interface Accounts {
  readonly accounts: AccountStore
}

export interface ClaimedAccount {
  readonly account: Account
  /** One-time code for the account's owner, valid for seven days; only its SHA-256 is stored. */
  readonly claimCode: string
}

/** An account and, if its owner needs one, a one-time code that opens it. Only the SHA-256 of the code is stored. */
export interface AccountChange {
  readonly account: Account
  readonly code: { readonly text: string; readonly expiresAt: string } | undefined
}

/**
 * Creates an account for another person, who takes it over with a code. If the code expires unused, the account can be created
 * again.
 *
 * @throws CatalogError `email_taken`, `invalid_account`
 */
export async function createClaimedAccount(
  { accounts }: Accounts,
  request: {
    readonly email: string
    readonly tier: Tier
    readonly daily?: number | null | undefined
    readonly actor: Actor
  },
  now: Date,
): Promise<ClaimedAccount> {
  const claim = createCode('claim', now)
  const { email, tier, daily = null, actor } = request
  const account = await accounts.create({ email, tier, daily, claim, actor, now })
  return { account, claimCode: claim.text }
}

/**
 * Changes tier and daily limit of an account. The tier of an unproven account is not raised: the result has a code for its owner,
 * who gets the new tier with it. With `isUnprovenAccepted` it is raised at once.
 *
 * @throws CatalogError `unknown_account`, `invalid_account`
 */
export async function changeTier(
  { accounts }: Accounts,
  idOrEmail: string,
  change: {
    readonly tier: Tier
    readonly daily?: number | null | undefined
    readonly isUnprovenAccepted?: boolean
    readonly actor: Actor
  },
  now: Date,
): Promise<AccountChange> {
  const code = createCode('operator', now)
  const account = await accounts.setTier(idOrEmail, { ...change, code, now })
  return { account, code: account.pending === null ? undefined : code }
}

/**
 * Ends all access to an account: sessions, password and keys. The code in the result opens it again.
 *
 * @throws CatalogError `unknown_account`
 */
export async function resetAccount(
  { accounts }: Accounts,
  idOrEmail: string,
  actor: Actor,
  now: Date,
): Promise<AccountChange> {
  const code = createCode('operator', now)
  return { account: await accounts.reset(idOrEmail, { code, actor, now }), code }
}

/**
 * Creates a code to be mailed to the owner of an address. Returns `undefined` if no account can use one: the address is unknown,
 * the account disabled, or the address to prove is proven.
 */
export async function createMailCode(
  { accounts }: Accounts,
  email: string,
  kind: MailCodeKind,
  now: Date,
): Promise<string | undefined> {
  const code = createCode(kind, now)
  const account = await accounts.addMailCode(email, kind, { code, now })
  return account && code.text
}

/** Returns the account of an address if the code opens it. The code stays valid. */
export function checkCode(
  { accounts }: Accounts,
  email: string,
  code: string,
  now: Date,
): Promise<Account | undefined> {
  return accounts.checkCode(email, hashCode(code), now)
}

/** Opens the account of an address with a code and the digest of a new password, and uses up the code. */
export function openWithCode(
  { accounts }: Accounts,
  email: string,
  { code, passwordHash }: { readonly code: string; readonly passwordHash: string },
  now: Date,
): Promise<Account | undefined> {
  return accounts.open(email, { hash: hashCode(code), passwordHash, now })
}

/** Proves the address of an account with a mailed code. Returns `undefined` if the code is wrong, used or expired. */
export function proveAddress(
  { accounts }: Accounts,
  accountId: string,
  code: string,
  now: Date,
): Promise<Account | undefined> {
  return accounts.proveAddress(accountId, hashCode(code), now)
}

/** A new one-time code. Only its digest is stored. */
interface OneTimeCode {
  readonly text: string
  /** SHA-256 of the text. */
  readonly hash: string
  readonly expiresAt: string
}

/** Creates a code of 125 random bits that is easy to type: `7K3QX-…`, five groups of five. */
function createCode(kind: CodeKind, now: Date): OneTimeCode {
  const digits = Array.from(randomBytes(CODE_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('')
  const text = digits.match(/.{5}/g)?.join('-') ?? digits
  const expiresAt = new Date(now.getTime() + HOURS[kind] * HOUR_MS).toISOString()
  return { text, hash: hashCode(text), expiresAt }
}

/** Hashes a code with SHA-256, accepting lower case, spaces, `O` for `0`, and `I` or `L` for `1`. */
function hashCode(text: string): string {
  const typed = text.slice(0, 100).toUpperCase().replace(/[\s-]/g, '')
  return hash('sha256', typed.replaceAll('O', '0').replace(/[IL]/g, '1'))
}
