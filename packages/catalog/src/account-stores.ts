import type { Actor } from './audit/audit-entry.ts'
import type { Account, KeyRow, Tier } from './types.ts'

export interface AccountStore {
  /**
   * Creates an account. If its address belongs to an account with an expired claim, a new claim replaces it, with tier and limit.
   *
   * @throws CatalogError `email_taken`, `invalid_account`
   */
  create(account: {
    /** `ac_` and 32 hexadecimal digits. @default random */
    id?: string
    email: string
    tier: Tier
    /** Requests a day; `null` for the limit of the tier. @default null */
    daily?: number | null
    claim?: Claim
    actor: Actor
    /** @default the catalog's clock */
    now?: Date
  }): Promise<Account>
  list(): Promise<readonly Account[]>
  find(idOrEmail: string): Promise<Account | undefined>
  /**
   * Changes tier and daily limit. Where that would raise the tier of an unproven account, the change waits until its address is
   * proven, and the code is stored to open it.
   *
   * @throws CatalogError `unknown_account`, `invalid_account`, or `account_unproven` if a raise would need a code
   */
  setTier(idOrEmail: string, change: TierChange): Promise<Account>
  /**
   * Ends all sessions, removes the password and revokes all keys, and stores the code that opens the account again.
   *
   * @throws CatalogError `unknown_account`
   */
  reset(idOrEmail: string, change: { code: Claim; actor: Actor; now: Date }): Promise<Account>
  /**
   * Disables an account, which ends its sessions and stops its keys, or enables it again. Repeating it changes nothing.
   *
   * @throws CatalogError `unknown_account`
   */
  setDisabled(idOrEmail: string, isDisabled: boolean, change: { actor: Actor; now: Date }): Promise<Account>
  /**
   * Deletes an account with its keys, sessions, password and request counts, and returns what it was.
   *
   * @throws CatalogError `unknown_account`
   */
  delete(idOrEmail: string, change: { actor: Actor; now: Date }): Promise<Account>
  /**
   * Stores a code to be mailed. Returns `undefined` for an unknown address, a disabled account, or to prove an address that is
   * proven.
   */
  addMailCode(
    email: string,
    kind: MailCodeKind,
    change: { code: Claim; now: Date },
  ): Promise<Account | undefined>
  /** Returns the account with this address if the hash is that of a code that opens it. Changes nothing. */
  checkCode(email: string, hash: string, now: Date): Promise<Account | undefined>
  /**
   * Opens the account with this address if the hash is that of a code for it: uses up its codes, replaces the password, ends all
   * sessions and proves the address. Keys are revoked if the code came from an operator, or the address was not proven before.
   */
  open(email: string, change: { hash: string; passwordHash: string; now: Date }): Promise<Account | undefined>
  /**
   * Proves the address of an account if the hash is that of a code mailed for this, and uses up the code.
   *
   * @throws CatalogError `unknown_account`
   */
  proveAddress(accountId: string, hash: string, now: Date): Promise<Account | undefined>
  /**
   * Replaces the user who signs in to an account by one with another password, which ends all sessions. Returns `false` if this
   * is no longer its user, because it was reset meanwhile, or if the account is disabled.
   *
   * @throws CatalogError `unknown_account`
   */
  replacePassword(
    accountId: string,
    change: { userId: string; passwordHash: string; now: Date },
  ): Promise<boolean>
}

export interface TierChange {
  readonly tier: Tier
  /** Requests a day; `null` for the limit of the tier. @default unchanged */
  readonly daily?: number | null | undefined
  /** Opens the account if it is unproven and its tier is raised. */
  readonly code?: Claim
  /** Raises the tier of an unproven account at once. @default false */
  readonly isUnprovenAccepted?: boolean
  readonly actor: Actor
  /** @default the catalog's clock */
  readonly now?: Date
}

/** A code sent by mail: to set a new password, or to prove the address. */
export type MailCodeKind = 'reset' | 'verify'

/** Digest of a one-time code for an account. */
export interface Claim {
  /** SHA-256 of the code. */
  readonly hash: string
  readonly expiresAt: string
}

export interface KeyStore {
  /** @throws CatalogError `unknown_account`, `too_many_keys`, `account_disabled`, `access_ended` */
  create(key: {
    accountId: string
    name: string
    sha256: string
    last4: string
    expiresAt?: string | null
    /** `reset_at` of the account that the caller has seen; with another one nothing is created. @default not compared */
    resetAt?: string | null
    actor: Actor
    /** @default the catalog's clock */
    now?: Date
  }): Promise<KeyRow>
  /** Replaces a key by a new one. @throws CatalogError `unknown_key`, `key_ended`, `too_many_keys`, `account_disabled` */
  rotate(
    id: string,
    replacement: { sha256: string; last4: string; actor: Actor; now?: Date },
  ): Promise<KeyRow>
  /** Ends a key at once; does nothing to one that is revoked. @throws CatalogError `unknown_key` */
  revoke(id: string, revocation: { actor: Actor; now?: Date }): Promise<KeyRow>
  list(accountId: string): Promise<readonly KeyRow[]>
  findBySha256(sha256: string): Promise<(KeyRow & { readonly account: Account }) | undefined>
  find(id: string): Promise<KeyRow | undefined>
  /** Stores when a key was last used. */
  recordUse(id: string, lastUsedAt: string): Promise<void>
}
