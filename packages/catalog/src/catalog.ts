import type { Kysely } from 'kysely'
import type {
  Account,
  ChangePage,
  ChangeQuery,
  CommitResult,
  JobRecord,
  KeyRow,
  Mode,
  NewVersion,
  PackHead,
  PackQuery,
  PackSummary,
  PackVersion,
  Tier,
  VersionAudit,
  VersionLine,
  YankedVersion,
} from './types.ts'

/**
 * The record of truth: packs, their versions, accounts, keys and the operating mode.
 *
 * Every method may throw `CatalogError`; `catalog_unavailable` where the database cannot answer,
 * `catalog_damaged` where a row cannot be read.
 */
export interface Catalog {
  readonly packs: PackStore
  readonly sources: SourceStore
  readonly accounts: AccountStore
  readonly keys: KeyStore
  readonly quota: QuotaStore
  readonly settings: SettingStore
  readonly jobs: JobStore
  /** The open database, for packages that keep tables of their own in it. The catalog closes it. */
  readonly database: LentDatabase
  /** Number of the last commit, yank or undo; 0 for an empty catalog. */
  sequence(): Promise<number>
  /** Answers when the database does. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** Runs queries on tables that the catalog does not know. */
export type LentQueries = Kysely<unknown>

/** A database connection that stays the catalog's to close. */
export interface LentDatabase {
  readonly type: 'sqlite' | 'postgres'
  readonly db: LentQueries
}

export interface PackStore {
  /** The newest committed version, to decide the next against; `undefined` for an unknown slug. */
  head(slug: string): Promise<PackHead | undefined>
  /**
   * Commits versions in one transaction: all or none, each compare-and-set on its parent, each with the next sequence. Jobs that the
   * versions are of are completed by it.
   *
   * @throws CatalogError `version_conflict` or `parent_moved`, naming the version, with nothing changed
   */
  commit(versions: readonly NewVersion[]): Promise<readonly CommitResult[]>
  /**
   * Hides a version from list, search and latest. Doing it twice changes nothing, unless for another reason: then that is told
   * from now on.
   */
  yank(slug: string, version: string, reason: string): Promise<YankedVersion>
  undoYank(slug: string, version: string): Promise<YankedVersion>
  /** The highest version that is not yanked; by id (`pk_…`) or slug. */
  latest(idOrSlug: string): Promise<PackVersion | undefined>
  /** One version, yanked or not. */
  version(idOrSlug: string, version: string): Promise<PackVersion | undefined>
  /** How that version came to be. */
  provenance(
    idOrSlug: string,
    version: string,
  ): Promise<(NewVersion['provenance'] & { sourceDigest: string }) | undefined>
  /** The rows of that version, compared with all they can be derived from; reads what other methods refuse as damaged. */
  audit(slug: string, version: string): Promise<VersionAudit | undefined>
  /** History, highest first; empty for an unknown pack. */
  versions(idOrSlug: string): Promise<readonly VersionLine[]>
  /** Ordered by title (NFKC, lower case, code point), then id, where the query names no other order. */
  list(query: PackQuery): Promise<{ readonly packs: readonly PackSummary[]; readonly total: number }>
  changes(query: ChangeQuery): Promise<ChangePage>
  /** Domains in use with the number of packs visible, by name. */
  domains(): Promise<
    readonly { readonly domain: string; readonly domain_slug: string; readonly packs: number }[]
  >
}

/**
 * Source files by their SHA-256, so that jobs carry a reference. Those of versions are kept for good, the others until
 * nobody has put or got them for 30 days.
 */
export interface SourceStore {
  /** Keeps bytes and gives their SHA-256, hexadecimal. */
  put(bytes: Uint8Array): Promise<string>
  get(sha256: string): Promise<Uint8Array | undefined>
}

export interface AccountStore {
  /**
   * Creates an account. One whose claim has ended is given anew to who has a claim for it.
   *
   * @throws CatalogError `email_taken`, `invalid_account`
   */
  create(account: {
    /** `ac_` and 32 hexadecimal digits. @default made by chance */
    id?: string
    email: string
    tier: Tier
    daily?: number | null
    claim?: Claim
    /** @default the catalog's clock */
    now?: Date
  }): Promise<Account>
  /** The account of that address, where this is its claim: in time, and among the first attempts of an hour. */
  checkClaim(email: string, claimHash: string, now: Date): Promise<Account | undefined>
  /** The same, once: the claim is taken off the account. */
  redeem(email: string, claimHash: string, now: Date): Promise<Account | undefined>
  list(): Promise<readonly Account[]>
  find(idOrEmail: string): Promise<Account | undefined>
  /** @throws CatalogError `unknown_account`, `invalid_account` */
  setTier(idOrEmail: string, tier: Tier, daily?: number | null): Promise<Account>
}

/** What opens an account that an operator made to who signs up with its address. */
export interface Claim {
  /** SHA-256 of the code. */
  readonly hash: string
  readonly expiresAt: string
}

export interface KeyStore {
  /** @throws CatalogError `unknown_account`, `too_many_keys` */
  create(key: {
    accountId: string
    name: string
    sha256: string
    last4: string
    expiresAt?: string | null
    /** @default the catalog's clock */
    now?: Date
  }): Promise<KeyRow>
  /** Puts a key in the place of another. @throws CatalogError `unknown_key`, `key_ended`, `too_many_keys` */
  rotate(id: string, replacement: { sha256: string; last4: string; now?: Date }): Promise<KeyRow>
  list(accountId: string): Promise<readonly KeyRow[]>
  findBySha256(sha256: string): Promise<(KeyRow & { readonly account: Account }) | undefined>
  find(id: string): Promise<KeyRow | undefined>
  update(
    id: string,
    change: { expiresAt?: string | null; revokedAt?: string; lastUsedAt?: string },
  ): Promise<KeyRow | undefined>
}

/** Counts requests by account and day. */
export interface QuotaStore {
  /**
   * Grants as many of the wanted requests as the limit leaves for that account and day, atomically, and counts them.
   *
   * @param day UTC, `2026-03-01`
   */
  grant(accountId: string, day: string, limit: number, wanted: number): Promise<QuotaGrant>
  /** Requests counted so far. */
  used(accountId: string, day: string): Promise<number>
}

export interface QuotaGrant {
  readonly granted: number
  /** Requests counted, with these. */
  readonly used: number
}

/** Operating mode and the secrets that replicas share. */
export interface SettingStore {
  /** `online` since the database was made, until set. */
  mode(): Promise<Mode>
  setMode(
    mode: Mode['mode'],
    options?: { message?: string | null; retryAfter?: number | null },
  ): Promise<Mode>
  /** The secret of that name, 32 bytes made by chance at first use; the same for every caller, also when several ask first. */
  secret(name: string): Promise<Uint8Array>
}

/** Publishes that ran in process; a queue keeps its own. A commit of versions ends the job that made them, at once. */
export interface JobStore {
  /** Keeps a job as it is now; one that is completed stays so. */
  put(job: Omit<JobRecord, 'updated_at'>): Promise<void>
  get(id: string): Promise<JobRecord | undefined>
  /** Newest first. */
  list(limit: number): Promise<readonly JobRecord[]>
}
