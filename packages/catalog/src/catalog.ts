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
  VersionLine,
} from './types.ts'

/**
 * The record of truth: packs, their versions, accounts, keys and the operating mode.
 *
 * Every method may throw `CatalogError`; `catalog_unavailable` where the database cannot answer.
 */
export interface Catalog {
  readonly packs: PackStore
  readonly sources: SourceStore
  readonly accounts: AccountStore
  readonly keys: KeyStore
  readonly settings: SettingStore
  readonly jobs: JobStore
  /** Number of the last commit, yank or undo; 0 for an empty catalog. */
  sequence(): Promise<number>
  /** Answers when the database does. */
  ping(): Promise<void>
  close(): Promise<void>
}

export interface PackStore {
  /** The newest committed version, to decide the next against; `undefined` for an unknown slug. */
  head(slug: string): Promise<PackHead | undefined>
  /**
   * Commits versions in one transaction: all or none, each compare-and-set on its parent, each with the next sequence.
   *
   * @throws CatalogError `version_conflict` or `parent_moved`, naming the version, with nothing changed
   */
  commit(versions: readonly NewVersion[]): Promise<readonly CommitResult[]>
  /** Hides a version from list, search and latest. Doing it twice changes nothing. */
  yank(slug: string, version: string, reason: string): Promise<PackVersion>
  undoYank(slug: string, version: string): Promise<PackVersion>
  /** The highest version that is not yanked; by id (`pk_…`) or slug. */
  latest(idOrSlug: string): Promise<PackVersion | undefined>
  /** One version, yanked or not. */
  version(idOrSlug: string, version: string): Promise<PackVersion | undefined>
  /** How that version came to be. */
  provenance(
    idOrSlug: string,
    version: string,
  ): Promise<(NewVersion['provenance'] & { sourceDigest: string }) | undefined>
  /** History, highest first; empty for an unknown pack. */
  versions(idOrSlug: string): Promise<readonly VersionLine[]>
  /** Ordered by title (NFKC, lower case, code point), then id. */
  list(query: PackQuery): Promise<{ readonly packs: readonly PackSummary[]; readonly total: number }>
  changes(query: ChangeQuery): Promise<ChangePage>
  /** Domains in use with the number of packs visible, by name. */
  domains(): Promise<
    readonly { readonly domain: string; readonly domain_slug: string; readonly packs: number }[]
  >
}

/** Source files by their SHA-256, so that jobs carry a reference. */
export interface SourceStore {
  /** Keeps bytes and gives their SHA-256, hexadecimal. */
  put(bytes: Uint8Array): Promise<string>
  get(sha256: string): Promise<Uint8Array | undefined>
}

export interface AccountStore {
  /** @throws CatalogError `email_taken` */
  create(account: {
    email: string
    tier: Tier
    daily?: number | null
    claimHash?: string | null
    claimExpiresAt?: string | null
  }): Promise<Account>
  list(): Promise<readonly Account[]>
  find(idOrEmail: string): Promise<Account | undefined>
  /** @throws CatalogError `unknown_account` */
  setTier(idOrEmail: string, tier: Tier, daily?: number | null): Promise<Account>
}

export interface KeyStore {
  create(key: {
    accountId: string
    name: string
    sha256: string
    last4: string
    expiresAt?: string | null
  }): Promise<KeyRow>
  list(accountId: string): Promise<readonly KeyRow[]>
  findBySha256(sha256: string): Promise<(KeyRow & { readonly account: Account }) | undefined>
  find(id: string): Promise<KeyRow | undefined>
  update(
    id: string,
    change: { expiresAt?: string | null; revokedAt?: string; lastUsedAt?: string },
  ): Promise<KeyRow | undefined>
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

/** Publishes that ran in process; a queue keeps its own. */
export interface JobStore {
  put(job: Omit<JobRecord, 'updated_at'>): Promise<void>
  get(id: string): Promise<JobRecord | undefined>
  /** Newest first. */
  list(limit: number): Promise<readonly JobRecord[]>
}
