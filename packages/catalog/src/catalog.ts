import type { PackSignature } from '@packs/codec/signatures'
import type { Kysely } from 'kysely'
import type { AccountStore, KeyStore } from './account-stores.ts'
import type { Actor, AuditStore } from './audit/audit-entry.ts'
import type { MaintenanceStore } from './maintenance-store.ts'
import type { SearchIndex } from './search-index.ts'
import type {
  CatalogState,
  ChangePage,
  ChangeQuery,
  CommitResult,
  JobRecord,
  Mode,
  NewVersion,
  PackHead,
  PackPage,
  PackQuery,
  PackVersion,
  VersionAudit,
  VersionLine,
  VersionName,
  VersionRecord,
  YankedVersion,
} from './types.ts'

/**
 * Storage of packs, their versions, accounts, keys and the operating mode.
 *
 * Every method can throw a `CatalogError`: `catalog_unavailable` if the database cannot answer,
 * `catalog_damaged` if a row cannot be read.
 */
export interface Catalog {
  readonly packs: PackStore
  readonly signatures: SignatureStore
  readonly sources: SourceStore
  readonly inventory: Inventory
  readonly accounts: AccountStore
  readonly keys: KeyStore
  readonly quota: QuotaStore
  readonly settings: SettingStore
  readonly jobs: JobStore
  readonly audit: AuditStore
  readonly maintenance: MaintenanceStore
  readonly search: SearchIndex
  /** The open database, for packages that keep tables of their own in it. The catalog closes it. */
  readonly database: LentDatabase
  /** Sequence number of the last commit, yank, undone yank or signature; 0 for an empty catalog. */
  sequence(): Promise<number>
  /** Reads sequence and mode, and the tables of packs and keys. In Postgres, fails after at most four seconds. */
  state(): Promise<CatalogState>
  /** Resolves once a connection of the pool is free, without using it. */
  waitForConnection(): Promise<void>
  close(): Promise<void>
}

/** Runs queries on tables that the catalog does not know. */
export type LentQueries = Kysely<unknown>

/** A database connection that stays the catalog's to close. */
export interface LentDatabase {
  readonly type: 'sqlite' | 'postgres'
  /** Its queries throw `catalog_unavailable` if the database cannot answer. */
  readonly db: LentQueries
  /**
   * Returns the URL, with its password, so that a thread of this process can open the database too; `null` for a database in
   * memory. It is a function, so that no log contains it.
   */
  url(): string | null
  /** Runs work that may hide the errors of its queries; if one was `catalog_unavailable`, that is thrown in any case. */
  readonly keepFailure: <T>(work: () => Promise<T>) => Promise<T>
}

export interface PackStore {
  /** Returns the newest committed version, which the next one is compared with; `undefined` for an unknown slug. */
  head(slug: string): Promise<PackHead | undefined>
  /**
   * Commits all versions in one transaction, or none. Each is compare-and-set on its parent and takes the next sequence number.
   * The transaction also completes the jobs that built these versions.
   *
   * @throws CatalogError `version_conflict` or `parent_moved`; the message names the version, and nothing is committed
   */
  commit(versions: readonly NewVersion[]): Promise<readonly CommitResult[]>
  /**
   * Hides a version from list, search and latest. Repeating it changes nothing, except that a different reason replaces the
   * earlier one.
   */
  yank(slug: string, version: string, reason: string, actor: Actor): Promise<YankedVersion>
  /** Shows a yanked version again; does nothing to one that is not yanked. */
  undoYank(slug: string, version: string, actor: Actor): Promise<YankedVersion>
  /** Returns the highest version that is not yanked, by id (`pk_…`) or slug. */
  latest(idOrSlug: string): Promise<PackVersion | undefined>
  /** Returns one version, yanked or not. */
  version(idOrSlug: string, version: string): Promise<PackVersion | undefined>
  /** Returns the highest version that is not yanked, or the given version, without its document. */
  find(idOrSlug: string, version?: string): Promise<VersionRecord | undefined>
  /** Returns the version with this sequence number, with its document. */
  read(sequence: number): Promise<PackVersion | undefined>
  /** Returns the source and build settings of a version. */
  provenance(
    idOrSlug: string,
    version: string,
  ): Promise<(NewVersion['provenance'] & { sourceDigest: string }) | undefined>
  /** Compares the rows of a version with everything they are derived from; also reads rows that other methods reject as damaged. */
  audit(slug: string, version: string): Promise<VersionAudit | undefined>
  /** Returns all versions, highest first; none for an unknown pack. */
  versions(idOrSlug: string): Promise<readonly VersionLine[]>
  /** Lists packs, by default ordered by title (NFKC, lower case, by code point), then id. `total` counts all that match. */
  list(query: PackQuery): Promise<PackPage>
  /** Returns the packs that changed after a sequence number, oldest change first. */
  changes(query: ChangeQuery): Promise<ChangePage>
  /** Returns the domains in use with the number of visible packs, ordered by name. */
  domains(): Promise<
    readonly { readonly domain: string; readonly domain_slug: string; readonly packs: number }[]
  >
}

/** Signatures of versions, which do not change the versions. */
export interface SignatureStore {
  /**
   * Adds a signature to a version, which it must hold for. A key signs a version once: again, nothing changes.
   *
   * @throws CatalogError `unknown_pack`, `unknown_version`, `invalid_signature`, `too_many_signatures`
   */
  add(
    slug: string,
    version: string,
    signature: PackSignature,
    actor: Actor,
  ): Promise<{ readonly isNew: boolean; readonly signatures: readonly PackSignature[] }>
}

/**
 * Source files, keyed by SHA-256 so that a job only carries the digest. Sources of committed versions are kept forever, all
 * others until 30 days after the last put or get.
 */
export interface SourceStore {
  /** Stores bytes and returns their SHA-256 in hexadecimal. */
  put(bytes: Uint8Array): Promise<string>
  get(sha256: string): Promise<Uint8Array | undefined>
}

/** Lists what the catalog stores, for checks of all of it. Damage to a row does not end a list. */
export interface Inventory {
  /** Returns how many versions come after a sequence number. */
  countVersions(after: number): Promise<number>
  /** Returns the names of the versions after a sequence number, yanked ones too, in the order of their commits. */
  versions(after: number, limit: number): Promise<readonly VersionName[]>
  /** Returns the slugs of packs without versions, which only damage can cause. */
  emptyPacks(limit: number): Promise<readonly string[]>
  /**
   * Returns the keys of sources that no version refers to, after a key, with the digests of their bytes. Reading them does not keep
   * them longer.
   */
  waitingSources(after: string, limit: number): Promise<readonly { sha256: string; found: string }[]>
}

/** Counts requests per account and day. */
export interface QuotaStore {
  /**
   * Atomically grants and counts as many of the wanted charges as the limit leaves for this account and day; each of them whole or
   * not at all.
   *
   * @param day UTC, for example `2026-03-01`
   * @param wanted number of charges
   * @param size requests of each charge. @default 1
   */
  grant(accountId: string, day: string, limit: number, wanted: number, size?: number): Promise<QuotaGrant>
  /** Returns the number of requests counted so far. */
  used(accountId: string, day: string): Promise<number>
}

export interface QuotaGrant {
  /** Requests: charges that were granted times their size. */
  readonly granted: number
  /** Requests counted so far, including the granted ones. */
  readonly used: number
}

/** The operating mode, and secrets shared by all replicas. */
export interface SettingStore {
  /** Returns the mode; a new database is `online`. */
  mode(): Promise<Mode>
  setMode(
    mode: Mode['mode'],
    options: { message?: string | null; retryAfter?: number | null; actor: Actor },
  ): Promise<Mode>
  /** Returns the named secret: 32 random bytes, created at first use. Concurrent first callers get the same bytes. */
  secret(name: string): Promise<Uint8Array>
}

/** Publish jobs that run in process; a queue stores its own. Committing versions completes their job in the same transaction. */
export interface JobStore {
  /** Stores the current state of a job; a completed job stays completed. */
  put(job: Omit<JobRecord, 'updated_at'>): Promise<void>
  get(id: string): Promise<JobRecord | undefined>
  /** Returns jobs, last updated first. */
  list(limit: number): Promise<readonly JobRecord[]>
}
